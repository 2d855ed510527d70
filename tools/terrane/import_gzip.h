/* SPDX-License-Identifier: MIT */
/* Lets assimp read NAME.EXT.gz as NAME.EXT: the file is unpacked in memory, and what lies beside it (materials, buffers) is
 * read from the disk. */
#ifndef TOOL_IMPORT_GZIP_H
#define TOOL_IMPORT_GZIP_H

#include <assimp/cfileio.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct gzip_file {
    struct aiFileIO io; /* its UserData is this struct */
    char *name;         /* without .gz */
    char *bytes;        /* a zero byte follows them */
    size_t size;
} gzip_file;

bool gzip_is_name(const char *path);

/* Reads a whole file, gzipped or not. NULL, or why not; "" when memory ran out. The process is a child that ends soon: nothing
 * is freed. */
const char *gzip_open(gzip_file *file, const char *path);

#endif
