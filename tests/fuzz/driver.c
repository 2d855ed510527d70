/* SPDX-License-Identifier: MIT */
/* Replays a fuzz corpus without a fuzzer: every file of the given folders as it is, then cut short and with bits flipped.
 * The damage is seeded by the file's length and round, so a failure repeats. Each input lies in memory of exactly its
 * size, so that the address sanitizer sees a read past its end. The last line printed names the input that failed. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUTS 64u
#define FLIPS 192u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void *allocate(size_t size) {
    void *memory = malloc(size > 0 ? size : 1);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    long end = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) end = ftell(file);
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0) {
        fprintf(stderr, "%s: cannot read\n", path);
        exit(2);
    }
    *size = (size_t)end;
    uint8_t *bytes = allocate(*size);
    if (fread(bytes, 1, *size, file) != *size) {
        fprintf(stderr, "%s: cannot read\n", path);
        exit(2);
    }
    fclose(file);
    return bytes;
}

static void try_one(const uint8_t *bytes, size_t size) {
    uint8_t *copy = allocate(size);
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void replay(const char *path) {
    size_t size;
    uint8_t *bytes = read_file(path, &size);
    printf("%s: whole\n", path);
    try_one(bytes, size);

    for (uint32_t round = 0; round < CUTS && size > 0; ++round) {
        uint64_t random = size * 1000 + round;
        size_t length = (size_t)(next_random(&random) % size);
        printf("%s: first %zu bytes\n", path, length);
        try_one(bytes, length);
    }

    uint8_t *damaged = allocate(size);
    for (uint32_t round = 0; round < FLIPS && size > 0; ++round) {
        uint64_t random = size * 1000 + CUTS + round;
        size_t flips = 1 + (size_t)(next_random(&random) % 8);
        /* Every other round stays within the first bytes: that is where the headers are. */
        size_t reach = (round & 1u) && size > 256 ? 256 : size;
        memcpy(damaged, bytes, size);
        printf("%s: bits", path);
        for (size_t i = 0; i < flips; ++i) {
            uint64_t bit = next_random(&random) % ((uint64_t)reach * 8);
            damaged[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            printf(" %llu", (unsigned long long)bit);
        }
        printf(" flipped\n");
        try_one(damaged, size);
    }
    free(damaged);
    free(bytes);
}

static int not_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static size_t replay_folder(const char *folder) {
    struct dirent **entries;
    int count = scandir(folder, &entries, not_hidden, alphasort);
    if (count < 0) {
        fprintf(stderr, "%s: no such folder\n", folder);
        exit(2);
    }
    for (int i = 0; i < count; ++i) {
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (length > 0 && (size_t)length < sizeof path) replay(path);
        free(entries[i]);
    }
    free(entries);
    return (size_t)count;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0); /* the last line must be out when an input crashes */
    size_t files = 0;
    for (int i = 1; i < argc; ++i) files += replay_folder(argv[i]);
    if (files == 0) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER...: no file to replay\n", argv[0]);
        return 2;
    }
    printf("%zu files, %zu inputs\n", files, files * (1 + CUTS + FLIPS));
    return 0;
}
