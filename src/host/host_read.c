/* SPDX-License-Identifier: MIT */
/* Serving one read on a worker: bytes from a file, checked, handed to the inbox. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <unistd.h>

#include "host_internal.h"

static void release_buffer(void *user, const void *data, size_t bytes) {
    const trn_host *host = user;
    trni_free(&host->allocator, (void *)(uintptr_t)data, bytes, 1);
}

/* Reads until all is there; false at an error or the file's end. */
static bool read_fully(int descriptor, void *to, size_t bytes, uint64_t offset) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = pread(descriptor, (char *)to + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

static trn_result read_and_check(trn_host *host, const trn_read *read, void *to) {
    int descriptor;
    uint64_t size;
    if (!trni_host_find_file(host, read->file, &descriptor, &size)) return TRN_ERROR_NOT_FOUND;
    if (!read_fully(descriptor, to, read->bytes, read->offset)) return TRN_ERROR_IO;
    return read->kind == TRN_READ_CHUNK ? trn_chunk_check(&read->chunk, read->page_count, to, read->bytes, NULL)
                                        : TRN_OK;
}

void trni_host_serve_read(trn_host *host, const trn_read *read) {
    trn_completion completion = {.number = read->number, .result = TRN_ERROR_OUT_OF_MEMORY};
    void *buffer = trni_alloc(&host->allocator, read->bytes, 1);
    if (buffer) completion.result = read_and_check(host, read, buffer);
    if (completion.result == TRN_OK) {
        completion.data = buffer;
        completion.bytes = read->bytes;
        completion.release = release_buffer;
        completion.release_user = host;
    } else {
        trni_free(&host->allocator, buffer, read->bytes, 1);
    }
    pthread_mutex_lock(&host->lock);
    host->stats.reads++;
    host->stats.bytes += completion.bytes;
    host->stats.failed += completion.result != TRN_OK;
    pthread_mutex_unlock(&host->lock);
    trn_inbox_complete(host->inbox, &completion);
}
