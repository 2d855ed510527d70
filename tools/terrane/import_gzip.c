/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "import_gzip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* One open file: the unpacked one, or one on the disk. */
typedef struct open_file {
    struct aiFile file; /* its UserData is this struct */
    const char *bytes;  /* NULL: on the disk */
    size_t size;
    size_t position;
    FILE *disk;
} open_file;

static open_file *self(struct aiFile *file) { return (void *)file->UserData; }

static size_t read_file(struct aiFile *file, char *to, size_t size, size_t count) {
    open_file *f = self(file);
    if (!f->bytes) return fread(to, size, count, f->disk);
    if (size == 0) return 0;
    const size_t left = (f->size - f->position) / size;
    if (count > left) count = left;
    memcpy(to, f->bytes + f->position, size * count);
    f->position += size * count;
    return count;
}

static size_t write_nothing(struct aiFile *file, const char *from, size_t size, size_t count) {
    (void)file, (void)from, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file) {
    open_file *f = self(file);
    const long at = f->bytes ? 0 : ftell(f->disk);
    return f->bytes ? f->position : at < 0 ? 0 : (size_t)at;
}

static size_t size_of(struct aiFile *file) { return self(file)->size; }

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin) {
    open_file *f = self(file);
    const size_t base = origin == aiOrigin_CUR ? tell(file) : origin == aiOrigin_END ? f->size : 0;
    /* Backwards is a huge offset that wraps, as importers ask for it. */
    const size_t to = base + offset;
    if (to > f->size) return aiReturn_FAILURE;
    f->position = to;
    if (f->bytes) return aiReturn_SUCCESS;
    return fseek(f->disk, (long)to, SEEK_SET) == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE;
}

static void flush(struct aiFile *file) { (void)file; }

static struct aiFile *open_named(struct aiFileIO *io, const char *name, const char *mode) {
    const gzip_file *gzip = (void *)io->UserData;
    if (strchr(mode, 'w') || strchr(mode, 'a')) return NULL;
    open_file *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    if (strcmp(name, gzip->name) == 0) {
        f->bytes = gzip->bytes;
        f->size = gzip->size;
    } else {
        f->disk = fopen(name, "rb");
        long end = f->disk && fseek(f->disk, 0, SEEK_END) == 0 ? ftell(f->disk) : -1;
        if (end < 0 || fseek(f->disk, 0, SEEK_SET) != 0) {
            if (f->disk) fclose(f->disk);
            free(f);
            return NULL;
        }
        f->size = (size_t)end;
    }
    f->file = (struct aiFile){.ReadProc = read_file,
                              .WriteProc = write_nothing,
                              .TellProc = tell,
                              .FileSizeProc = size_of,
                              .SeekProc = seek,
                              .FlushProc = flush,
                              .UserData = (void *)f};
    return &f->file;
}

static void close_named(struct aiFileIO *io, struct aiFile *file) {
    (void)io;
    open_file *f = self(file);
    if (f->disk) fclose(f->disk);
    free(f);
}

bool gzip_is_name(const char *path) {
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

const char *gzip_open(gzip_file *file, const char *path) {
    const size_t length = strlen(path) - (gzip_is_name(path) ? 3 : 0);
    *file = (gzip_file){.io = {.OpenProc = open_named, .CloseProc = close_named}, .name = malloc(length + 1)};
    if (!file->name) return "";
    file->io.UserData = (void *)file;
    memcpy(file->name, path, length);
    file->name[length] = 0;

    gzFile from = gzopen(path, "rb");
    if (!from) return "it cannot be opened";
    size_t capacity = 0;
    int got = 0;
    do {
        if (file->size + 1 >= capacity) {
            capacity = capacity ? capacity * 2 : (size_t)1 << 20;
            char *grown = realloc(file->bytes, capacity);
            if (!grown) return "";
            file->bytes = grown;
        }
        const size_t room = capacity - file->size - 1;
        got = gzread(from, file->bytes + file->size, room < 1u << 30 ? (unsigned)room : 1u << 30);
        if (got > 0) file->size += (size_t)got;
    } while (got > 0);
    file->bytes[file->size] = 0;
    if (gzdirect(from) && gzip_is_name(path)) return "its name ends in .gz, but it is not gzipped";
    /* A file that is cut short shows at the close. */
    return got < 0 || gzclose(from) != Z_OK ? "its gzip stream is damaged" : NULL;
}
