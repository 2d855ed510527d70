/* SPDX-License-Identifier: MIT */
/** @file
 * How bytes travel: reads that an update asks for, completions that come back through an inbox, writes into the staging
 * ring, copies from the ring into mesh memory.
 */
#ifndef TERRANE_STREAM_H
#define TERRANE_STREAM_H

#include "id.h"
#include "model.h"

/** Takes completions from any thread. Made before its worlds and destroyed after them; several worlds may share one. */
typedef struct trn_inbox trn_inbox;

typedef struct trn_inbox_def {
    uint32_t capacity; /**< requests that may be open at once; 0: 1024 */
    trn_allocator allocator;
} trn_inbox_def;

/** @return TRN_OK, TRN_ERROR_ARGUMENT, TRN_ERROR_OUT_OF_MEMORY */
TRN_API trn_result trn_inbox_create_sized(const trn_inbox_def *def, size_t def_size, trn_inbox **inbox);
static inline trn_result trn_inbox_create(const trn_inbox_def *def, trn_inbox **inbox) {
    return trn_inbox_create_sized(def, sizeof *def, inbox);
}
/** Frees the inbox and releases what still lies in it. Nobody may call trn_inbox_complete any more. */
TRN_API void trn_inbox_destroy(trn_inbox *inbox);

/** The end of one read. */
typedef struct trn_completion {
    uint64_t number;   /**< of the read */
    trn_result result; /**< TRN_OK; otherwise `data` may be NULL */
    const void *data;  /**< the bytes asked for, aligned to 8, decoded when a chunk has a codec */
    size_t bytes;      /**< fewer than asked for is an error of the read */
    /** Called exactly once, from any thread that uses the inbox or the world, when the bytes are no longer needed: at
     * once for a completion that comes late or twice. May be NULL. */
    void (*release)(void *user, const void *data, size_t bytes);
    void *release_user;
} trn_completion;

/** Hands in the end of a read. Any thread, at any time, also after the world that asked is gone.
 * @return TRN_OK; TRN_ERROR_STALE_ID when nobody waits for it (late, twice, cancelled): it has been released */
TRN_API trn_result trn_inbox_complete(trn_inbox *inbox, const trn_completion *completion);

/** What a read is for. */
typedef enum trn_read_kind { TRN_READ_REGION = 0, TRN_READ_CHUNK = 1 } trn_read_kind;

/** Bytes that the host should read and then complete. Sorted, most urgent first. */
typedef struct trn_read {
    uint64_t number; /**< for the completion; never used twice by one inbox */
    uint64_t offset;
    uint32_t bytes;
    uint32_t file;
    trn_read_kind kind;
    trn_region_id region;  /**< of a region's payload */
    trn_model_id model;    /**< of a chunk */
    trn_model_chunk chunk; /**< of a chunk: check the bytes with trn_chunk_check before completing */
    uint32_t page_count;   /**< of the model: for trn_chunk_check */
    uint32_t tries;        /**< reads of the same bytes before this one */
} trn_read;

/** The arenas of mesh memory. */
typedef enum trn_arena { TRN_ARENA_VERTICES = 0, TRN_ARENA_CLUSTERS = 1, TRN_ARENA_COUNT = 2 } trn_arena;

/** Bytes to be made in the staging ring (or straight in mapped mesh memory). Any thread may do it, in any order, with
 * trn_ring_write_run; all must be done before the host submits this update's copies and before the next update. */
typedef struct trn_ring_write {
    void *to;
    size_t bytes;
    const trn_model_chunk *chunk;
    const void *decoded;
    uint32_t first; /**< elements of the chunk */
    uint32_t count;
} trn_ring_write;

TRN_API void trn_ring_write_run(const trn_ring_write *write);

/** A copy for the GPU, in submission `trn_frame.submit`: ring to mesh memory. */
typedef struct trn_copy {
    const void *from;     /**< in the ring */
    uint64_t ring_offset; /**< the same place, from the start of the ring */
    uint64_t to;          /**< bytes from the start of the arena */
    uint64_t bytes;
    trn_arena arena;
} trn_copy;

/** A page came or went in this update. */
typedef struct trn_residency_change {
    trn_model_id model;
    uint32_t page; /**< counted within the model */
    uint32_t level;
    bool resident;
} trn_residency_change;

#endif
