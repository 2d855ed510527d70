/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "model_file.h"

#include "interrupt.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct model_file {
    const char *path;
    int descriptor;
    uint64_t size;
} model_file;

static int open_file(model_file *file, const char *path) {
    struct stat info;
    *file = (model_file){.path = path, .descriptor = open(path, O_RDONLY)};
    if (file->descriptor < 0) return report_errno(path, "opening");
    int exit_code = TOOL_DONE;
    if (fstat(file->descriptor, &info) != 0)
        exit_code = report_errno(path, "opening");
    else if (!S_ISREG(info.st_mode))
        exit_code = report(TOOL_IO, "%s: opening: not a regular file", path);
    else
        file->size = (uint64_t)info.st_size;
    if (exit_code != TOOL_DONE) close(file->descriptor);
    return exit_code;
}

/* The first `size` bytes. */
static int read_start(const model_file *file, uint64_t size, void **bytes) {
    *bytes = size < SIZE_MAX ? malloc((size_t)size + 1) : NULL;
    if (!*bytes) return report(TOOL_OUT_OF_MEMORY, "%s: reading: out of memory", file->path);
    int exit_code = TOOL_DONE;
    uint64_t done = 0;
    while (done < size && exit_code == TOOL_DONE) {
        const size_t piece = size - done < 8u << 20 ? (size_t)(size - done) : 8u << 20;
        const ssize_t got = pread(file->descriptor, (char *)*bytes + done, piece, (off_t)done);
        if (interrupted())
            exit_code = report(TOOL_CANCELLED, "%s: cancelled", file->path);
        else if (got < 0 && errno != EINTR)
            exit_code = report_errno(file->path, "reading");
        else if (got == 0)
            exit_code = report(TOOL_IO, "%s: reading: the file became shorter", file->path);
        else if (got > 0)
            done += (uint64_t)got;
    }
    if (exit_code != TOOL_DONE) {
        free(*bytes);
        *bytes = NULL;
    }
    return exit_code;
}

int model_file_open_head(const char *path, trn_model **model) {
    model_file file;
    int exit_code = open_file(&file, path);
    if (exit_code != TOOL_DONE) return exit_code;

    trn_error error = {.code = TRN_OK};
    uint64_t head_bytes = 0;
    void *bytes;
    exit_code = read_start(&file, file.size < TRN_MODEL_HEADER_BYTES ? file.size : TRN_MODEL_HEADER_BYTES, &bytes);
    if (exit_code == TOOL_DONE) {
        const size_t header_bytes = file.size < TRN_MODEL_HEADER_BYTES ? (size_t)file.size : TRN_MODEL_HEADER_BYTES;
        const trn_result result = trn_model_head_bytes(bytes, header_bytes, &head_bytes, &error);
        free(bytes);
        if (result != TRN_OK)
            exit_code = report_result(result, &error, path);
        else if (head_bytes > file.size)
            exit_code = report(TOOL_BAD_INPUT, "%s: head: the file is cut short", path);
    }
    if (exit_code == TOOL_DONE) exit_code = read_start(&file, head_bytes, &bytes);
    if (exit_code == TOOL_DONE) {
        const trn_result result = trn_model_open(bytes, (size_t)head_bytes, file.size, path, NULL, model, &error);
        free(bytes);
        if (result != TRN_OK) exit_code = report_result(result, &error, path);
    }
    close(file.descriptor);
    return exit_code;
}

int model_file_load(const char *path, trn_model_data **data) {
    model_file file;
    int exit_code = open_file(&file, path);
    if (exit_code != TOOL_DONE) return exit_code;
    void *bytes;
    exit_code = read_start(&file, file.size, &bytes);
    close(file.descriptor);
    if (exit_code != TOOL_DONE) return exit_code;
    trn_error error = {.code = TRN_OK};
    const trn_result result = trn_model_data_load(bytes, file.size, path, NULL, data, &error);
    free(bytes);
    return result == TRN_OK ? TOOL_DONE : report_result(result, &error, path);
}
