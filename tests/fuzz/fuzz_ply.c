/* SPDX-License-Identifier: MIT */
/* The PLY reader of the tool, on hostile bytes. In the tool it runs in a child process that ends at the first fault and
 * frees nothing; here a fault jumps back, and every block is remembered and freed after the run. */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MAX = 64, MEGABYTES_MAX = 64 };

static void *blocks[BLOCKS_MAX];
static jmp_buf back;

static void *remember(void *block) {
    for (int i = 0; i < BLOCKS_MAX && block; i++)
        if (!blocks[i]) return blocks[i] = block;
    free(block);
    return NULL;
}
static void forget(void *block) {
    for (int i = 0; i < BLOCKS_MAX; i++)
        if (block && blocks[i] == block) blocks[i] = NULL;
}
static void *kept_calloc(size_t count, size_t size) {
    if (size != 0 && count > (size_t)MEGABYTES_MAX * 1048576 / size) return NULL; /* as the child's limit would */
    return remember(calloc(count, size));
}
static void *kept_malloc(size_t size) { return kept_calloc(size, 1); }
static void kept_free(void *block) {
    forget(block);
    free(block);
}
static void *kept_realloc(void *block, size_t size) {
    if (size > (size_t)MEGABYTES_MAX * 1048576) return NULL;
    void *moved = realloc(block, size);
    if (!moved) return NULL;
    forget(block);
    return remember(moved);
}

#include "import_flat.h"
#include "import_gzip.h"

void import_refuse(const import_flat *flat, const char *reason) {
    (void)flat;
    if (strlen(reason) == 0) abort(); /* every refusal has a reason */
    longjmp(back, 1);
}
void import_out_of_memory(const import_flat *flat) {
    (void)flat;
    longjmp(back, 2);
}
void import_flat_allocate(import_flat *flat) {
    size_t vertices = (size_t)flat->header.vertex_count + 1;
    flat->positions = kept_calloc(vertices, 3 * sizeof(float));
    flat->normals = kept_calloc(vertices, 3 * sizeof(float));
    flat->uv0 = kept_calloc(vertices, 2 * sizeof(float));
    flat->colors = kept_calloc(vertices, 4);
    flat->indices = kept_calloc((size_t)flat->header.index_count + 1, sizeof(uint32_t));
    flat->submeshes = kept_calloc(2, sizeof(trn_cook_submesh));
    flat->names = kept_calloc(2, IMPORT_NAME_BYTES);
    if (!flat->positions || !flat->normals || !flat->uv0 || !flat->colors || !flat->indices || !flat->submeshes ||
        !flat->names)
        import_out_of_memory(flat);
}

static const uint8_t *input;
static size_t input_size;
static const char *open_input(gzip_file *file, const char *path) {
    (void)path;
    memset(file, 0, sizeof *file);
    char *copy = kept_malloc(input_size + 1); /* exact size, so that reading past it shows */
    if (!copy) return "";
    if (input_size) memcpy(copy, input, input_size);
    file->bytes = copy;
    file->size = input_size;
    return NULL;
}

#define malloc kept_malloc
#define calloc kept_calloc
#define realloc kept_realloc
#define free kept_free
#define gzip_open open_input
#include "import_ply.c"
#undef malloc
#undef calloc
#undef realloc
#undef free

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static import_flat flat;
    memset(&flat, 0, sizeof flat);
    input = data;
    input_size = size;
    if (setjmp(back) == 0) {
        import_ply(&flat, "input.ply");
        uint64_t sum = 0; /* every corner must name a vertex */
        for (uint64_t i = 0; i < flat.header.index_count; i++) {
            if (flat.indices[i] >= flat.header.vertex_count) abort();
            sum += flat.indices[i];
        }
        if (sum > flat.header.index_count * flat.header.vertex_count) abort();
    }
    for (int i = 0; i < BLOCKS_MAX; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
    return 0;
}
