/* SPDX-License-Identifier: MIT */
/* The host: made of an inbox, workers and files; serves what an update asks for. */
#define _POSIX_C_SOURCE 200809L

#include "host_internal.h"

#include <unistd.h>

trn_result trn_host_create_sized(const trn_host_def *given, size_t def_size, trn_host **made) {
    trn_host_def def;
    trn_allocator allocator;
    if (!made || !trni_def_read(&def, sizeof def, given, def_size) || def.worker_count > 64) return TRN_ERROR_ARGUMENT;
    if (!trni_allocator_make(&allocator, &def.allocator)) return TRN_ERROR_ARGUMENT;
    trn_host *host = TRNI_NEW(&allocator, trn_host);
    if (!host) return TRN_ERROR_OUT_OF_MEMORY;
    host->allocator = allocator;
    host->log = def.log;
    host->worker_count = def.worker_count ? def.worker_count : 2;
    pthread_mutex_init(&host->lock, NULL);
    pthread_cond_init(&host->work, NULL);
    pthread_cond_init(&host->finished, NULL);
    trn_inbox_def inbox = {.capacity = def.inbox_capacity, .allocator = allocator};
    trn_result result = trn_inbox_create(&inbox, &host->inbox);
    host->workers = TRNI_NEW_ARRAY(&allocator, pthread_t, host->worker_count);
    if (result == TRN_OK && !host->workers) result = TRN_ERROR_OUT_OF_MEMORY;
    if (result == TRN_OK && !trni_host_start_workers(host)) result = TRN_ERROR_INTERNAL;
    if (result != TRN_OK) {
        trn_host_destroy(host);
        return result;
    }
    *made = host;
    return TRN_OK;
}

void trn_host_destroy(trn_host *host) {
    if (!host) return;
    trni_host_stop_workers(host);
    trn_inbox_destroy(host->inbox);
    trni_host_close_files(host);
    pthread_cond_destroy(&host->finished);
    pthread_cond_destroy(&host->work);
    pthread_mutex_destroy(&host->lock);
    trn_allocator allocator = host->allocator;
    trni_free(&allocator, host->workers, host->worker_count, sizeof *host->workers);
    trni_free(&allocator, host, 1, sizeof *host);
}

trn_inbox *trn_host_inbox(trn_host *host) { return host ? host->inbox : NULL; }

void trn_host_get_stats(const trn_host *host, trn_host_stats *stats) {
    trn_host *locked = (trn_host *)(uintptr_t)host; /* the lock changes, what it guards does not */
    pthread_mutex_lock(&locked->lock);
    *stats = host->stats;
    pthread_mutex_unlock(&locked->lock);
}

/* ---- models ---- */

static trn_result read_head(trn_host *host, uint32_t file, const char *path, trn_model **model, trn_error *error) {
    int descriptor;
    uint64_t size, head_bytes;
    unsigned char header[TRN_MODEL_HEADER_BYTES];
    trni_host_find_file(host, file, &descriptor, &size);
    ssize_t got = pread(descriptor, header, sizeof header, 0);
    if (got < 0) return trni_fail(error, TRN_ERROR_IO, 0, 0, "%s: cannot be read", path);
    trn_error found = {0};
    trn_result result = trn_model_head_bytes(header, (size_t)got, &head_bytes, &found);
    if (result == TRN_OK && head_bytes > size) result = TRN_ERROR_FORMAT;
    if (result != TRN_OK) return trni_fail(error, result, 0, found.place, "%s: %s", path, trn_result_text(result));
    void *head = trni_alloc(&host->allocator, (size_t)head_bytes, 1);
    if (!head) return trni_fail(error, TRN_ERROR_OUT_OF_MEMORY, 0, 0, "%s: no memory for its tables", path);
    got = pread(descriptor, head, (size_t)head_bytes, 0);
    result = got == (ssize_t)head_bytes
                 ? trn_model_open(head, (size_t)head_bytes, size, path, &host->allocator, model, error)
                 : trni_fail(error, TRN_ERROR_IO, 0, 0, "%s: cannot be read", path);
    trni_free(&host->allocator, head, (size_t)head_bytes, 1);
    return result;
}

trn_result trn_host_open_model(trn_host *host, trn_world *world, const char *path, trn_model_id *id, trn_error *error) {
    uint32_t file;
    trn_model *model;
    if (!host || !world || !path || !id) return TRN_ERROR_ARGUMENT;
    trn_result result = trn_host_open_file(host, path, &file, error);
    if (result == TRN_OK) result = read_head(host, file, path, &model, error);
    if (result != TRN_OK) return result;
    trn_model_def def = {.model = model, .file = file, .name = path};
    result = trn_world_add_model(world, &def, id);
    trn_model_close(model);
    if (result == TRN_ERROR_ARGUMENT)
        return trni_fail(error, result, 0, 0, "%s: a page of it is larger than the mesh memory", path);
    return result == TRN_OK ? TRN_OK : trni_fail(error, result, 0, 0, "%s: %s", path, trn_result_text(result));
}

/* ---- serving ---- */

/* Reads that are still queued can be dropped; one that runs will find that nobody waits for it. */
static void cancel_reads(trn_host *host, const uint64_t *numbers, uint32_t count) {
    if (count == 0) return;
    pthread_mutex_lock(&host->lock);
    host_task **link = &host->queue_first;
    host->queue_last = NULL;
    while (*link) {
        host_task *task = *link;
        bool cancelled = false;
        for (uint32_t i = 0; i < count && task->read_number != 0; i++)
            cancelled = cancelled || numbers[i] == task->read_number;
        if (cancelled) {
            *link = task->next;
            task->next = host->free_tasks;
            host->free_tasks = task;
            host->stats.queued--;
            host->stats.cancelled++;
        } else {
            host->queue_last = task;
            link = &task->next;
        }
    }
    pthread_cond_broadcast(&host->finished);
    pthread_mutex_unlock(&host->lock);
}

static void start_reads(trn_host *host, const trn_read *reads, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        host_task *task = trni_host_take_task(host);
        if (!task) { /* the read ends at once; the world asks again, as for any failed read */
            trn_completion completion = {.number = reads[i].number, .result = TRN_ERROR_OUT_OF_MEMORY};
            trn_inbox_complete(host->inbox, &completion);
            continue;
        }
        task->read_number = reads[i].number;
        task->read = reads[i];
        trni_host_queue(host, task);
    }
}

void trn_host_serve(trn_host *host, trn_world *world) {
    const uint64_t *cancels;
    const trn_read *reads;
    const trn_ring_write *writes;
    if (!host || !world) return;
    uint32_t cancel_count = trn_world_cancels(world, &cancels);
    cancel_reads(host, cancels, cancel_count);
    uint32_t read_count = trn_world_reads(world, &reads);
    start_reads(host, reads, read_count);
    /* At most a frame's upload budget, so the calling thread does it while the workers read. */
    for (uint32_t i = 0, count = trn_world_ring_writes(world, &writes); i < count; i++) trn_ring_write_run(&writes[i]);
}
