/* SPDX-License-Identifier: MIT */
/* Files of the host: opened once, named by number, read by position from any worker. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host_internal.h"

static trn_result add_file(trn_host *host, const char *path, int descriptor, uint64_t size, uint32_t *file) {
    size_t bytes = strlen(path) + 1;
    char *copy = trni_alloc(&host->allocator, bytes, 1);
    pthread_mutex_lock(&host->lock);
    void *files = host->files;
    bool made =
        copy && trni_grow(&host->allocator, &files, &host->file_capacity, host->file_count + 1, sizeof *host->files);
    host->files = files;
    if (made) {
        memcpy(copy, path, bytes);
        host->files[host->file_count] = (host_file){copy, bytes, descriptor, size};
        *file = ++host->file_count;
        host->stats.files = host->file_count;
    }
    pthread_mutex_unlock(&host->lock);
    if (!made) trni_free(&host->allocator, copy, bytes, 1);
    return made ? TRN_OK : TRN_ERROR_OUT_OF_MEMORY;
}

trn_result trn_host_open_file(trn_host *host, const char *path, uint32_t *file, trn_error *error) {
    if (!host || !path || !file) return TRN_ERROR_ARGUMENT;
    for (uint32_t i = 0; i < host->file_count; i++)
        if (strcmp(host->files[i].path, path) == 0) {
            *file = i + 1;
            return TRN_OK;
        }
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        const char *reason = descriptor < 0 || errno ? strerror(errno) : "not a regular file";
        if (descriptor >= 0 && !S_ISREG(status.st_mode)) reason = "not a regular file";
        if (descriptor >= 0) close(descriptor);
        return trni_fail(error, TRN_ERROR_IO, 0, 0, "%s: cannot be opened: %s", path, reason);
    }
    trn_result result = add_file(host, path, descriptor, (uint64_t)status.st_size, file);
    if (result != TRN_OK) {
        close(descriptor);
        return trni_fail(error, result, 0, 0, "%s: %s", path, trn_result_text(result));
    }
    return TRN_OK;
}

bool trni_host_find_file(trn_host *host, uint32_t file, int *descriptor, uint64_t *size) {
    pthread_mutex_lock(&host->lock);
    bool found = file >= 1 && file <= host->file_count;
    if (found) {
        *descriptor = host->files[file - 1].descriptor;
        *size = host->files[file - 1].size;
    }
    pthread_mutex_unlock(&host->lock);
    return found;
}

void trni_host_close_files(trn_host *host) {
    for (uint32_t i = 0; i < host->file_count; i++) {
        close(host->files[i].descriptor);
        trni_free(&host->allocator, host->files[i].path, host->files[i].path_bytes, 1);
    }
    trni_free(&host->allocator, host->files, host->file_capacity, sizeof *host->files);
}
