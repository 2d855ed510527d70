/* SPDX-License-Identifier: MIT */
/* A file that appears whole or not at all. */
#ifndef TOOL_OUTPUT_FILE_H
#define TOOL_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct output_file {
    const char *path;
    char *temporary; /* beside the target, so that the rename stays in one file system */
    int descriptor;
} output_file;

/* Can `path` be written, as far as one can tell without writing? Asked before work that takes minutes.
 * `input` (may be NULL) must be another file. Returns an exit code, reported unless TOOL_DONE; so do the next three. */
int output_check(const char *path, const char *input);

int output_open(output_file *out, const char *path);
int output_write(output_file *out, const void *bytes, size_t size);
/* Flushes to the disk and takes the target's place. */
int output_commit(output_file *out);
/* Leaves no trace of what was not committed. Due after output_open, whatever it and the others returned. */
void output_discard(output_file *out);

#endif
