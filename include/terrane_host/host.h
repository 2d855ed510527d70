/* SPDX-License-Identifier: MIT */
/** @file
 * Default services for a host that has no job system and no file layer of its own: worker threads, file reads, an inbox.
 */
#ifndef TERRANE_HOST_H
#define TERRANE_HOST_H

#include <terrane/base.h>
#include <terrane/world.h>

/** Worker threads, open files, an inbox. Create, open and serve from one thread at a time. */
typedef struct trn_host trn_host;

typedef struct trn_host_def {
    uint32_t worker_count;   /**< 0: 2; at most 64 */
    uint32_t inbox_capacity; /**< 0: 1024 */
    trn_allocator allocator; /**< called from the workers too, so it must be thread-safe; zero: the C library's heap */
    trn_log log;             /**< called from the thread that serves */
} trn_host_def;

/** @return TRN_OK, TRN_ERROR_ARGUMENT, TRN_ERROR_OUT_OF_MEMORY, TRN_ERROR_INTERNAL (no thread could be started) */
TRN_API trn_result trn_host_create_sized(const trn_host_def *def, size_t def_size, trn_host **host);
static inline trn_result trn_host_create(const trn_host_def *def, trn_host **host) {
    return trn_host_create_sized(def, sizeof *def, host);
}
/** Destroy the worlds first. Waits for the reads that run at this moment, drops the others. NULL is allowed. */
TRN_API void trn_host_destroy(trn_host *host);

/** The inbox to give to worlds; the host's. */
TRN_API trn_inbox *trn_host_inbox(trn_host *host);

/** Opens a file for reading and gives it a number for payloads and models; the same path gives the same number.
 * @return TRN_OK, TRN_ERROR_IO, TRN_ERROR_OUT_OF_MEMORY */
TRN_API trn_result trn_host_open_file(trn_host *host, const char *path, uint32_t *file, trn_error *error);

/** Opens a model file, reads its head in the calling thread, and registers it with a world.
 * @return as trn_host_open_file, trn_model_open, trn_world_add_model */
TRN_API trn_result trn_host_open_model(trn_host *host, trn_world *world, const char *path, trn_model_id *model,
                                       trn_error *error);

/** Call after every update: starts the reads and cancels of that update, and returns when its ring writes are done. */
TRN_API void trn_host_serve(trn_host *host, trn_world *world);

/** Waits until no read is running or queued: for tools that want every frame complete. */
TRN_API void trn_host_wait(trn_host *host);

/** The workers as a job hook, for the cook and others. */
TRN_API trn_jobs trn_host_jobs(trn_host *host);

typedef struct trn_host_stats {
    uint64_t reads;
    uint64_t bytes;
    uint64_t failed;
    uint64_t cancelled; /**< dropped before they began */
    uint32_t queued;
    uint32_t files;
} trn_host_stats;

TRN_API void trn_host_get_stats(const trn_host *host, trn_host_stats *stats);

#endif
