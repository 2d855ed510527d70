/* SPDX-License-Identifier: MIT */
/* The streamer: keeps the wanted pages of many resources in mesh memory, under budgets. It knows pages, what they depend
 * on, priorities, ranges and submissions; it does not know what a page means. A model is one kind of resource.
 *
 * Invariants
 * - A page is loading or ready only while all it depends on is loading or ready; ready only while all that is ready.
 * - Every page that is loading or ready owns one range in each arena that it needs.
 * - A range or ring slice is used again only when the submission that used it last is retired.
 * - A page becomes ready in a later submission than the one its last copy went into.
 */
#ifndef TRNI_STREAM_INTERNAL_H
#define TRNI_STREAM_INTERNAL_H

#include <terrane/shader/terrane_shared.h>
#include <terrane/stream.h>
#include <terrane/world.h>

#include "inbox_internal.h"
#include "ranges.h"

typedef enum trni_page_state {
    TRNI_PAGE_ABSENT = 0,
    TRNI_PAGE_LOADING = 1, /* its ranges are reserved; chunks are being read, copied, or wait for the GPU */
    TRNI_PAGE_READY = 2,
    TRNI_PAGE_RETIRING = 3 /* gone, but submissions up to `last_copy` may still use its ranges */
} trni_page_state;

typedef enum trni_chunk_state {
    TRNI_CHUNK_ABSENT = 0,
    TRNI_CHUNK_READING = 1, /* `number` is open in the inbox */
    TRNI_CHUNK_ARRIVED = 2, /* decoded bytes are here; `placed` elements of them have been copied */
    TRNI_CHUNK_PLACED = 3
} trni_chunk_state;

typedef struct trni_stream_chunk {
    trn_model_chunk info;
    trni_chunk_state state;
    uint32_t placed;
    uint32_t tries; /* reads that failed */
    uint64_t number;
    trn_completion arrived;
} trni_stream_chunk;

/* One page; its place in the table is its place in the page table of the GPU. */
typedef struct trni_stream_page {
    uint32_t resource;                           /* TRNI_NO_RESOURCE: a free place (or one that still retires) */
    uint32_t first_dependency, dependency_count; /* in the resource's list, page numbers within the resource */
    uint32_t first_chunk, chunk_count;           /* in the resource's list; only chunks that are placed */
    uint32_t units[TRN_ARENA_COUNT];             /* vertices, clusters */
    trni_page_state state;
    bool root;
    bool yields; /* chosen to go for another page, within one step */
    bool failed; /* could not be read; not tried again until told */
    uint32_t range[TRN_ARENA_COUNT];
    uint32_t chunks_placed;
    uint32_t dependents;  /* pages that depend on it and are loading or ready */
    uint32_t list_place;  /* in the list of its state */
    uint64_t last_copy;   /* submission its last copy went into; 0: none. Retiring: the last that may use its ranges */
    uint64_t ready_since; /* update */
    uint64_t mark;        /* scratch of a search through dependents */
    /* demand, written by the level choice before each step */
    float priority;  /* pixels on screen; valid in the update of `wanted` or `kept` */
    uint64_t wanted; /* update that wants it loaded */
    uint64_t kept;   /* update that wants it kept */
} trni_stream_page;

typedef struct trni_stream_resource {
    bool used;
    uint32_t first_page, page_count;
    uint32_t root_count; /* its first pages, always wanted */
    uint32_t chunk_count, dependency_count;
    trni_stream_chunk *chunks;
    uint32_t *dependencies;
    uint32_t file;
    uint32_t model_page_count;
    trn_model_id model;
    uint64_t ready_bytes;
    uint32_t pages_ready, roots_ready;
    bool failed;           /* a root page failed */
    bool not_drawn_memory; /* a root page has no room; set and cleared by the step */
    float priority;        /* largest size on screen in this update, pixels; written by the level choice */
    uint64_t demanded;     /* update in which some page was wanted or kept */
} trni_stream_resource;

typedef struct trni_stream_def {
    trn_allocator allocator;
    trn_log log;
    trn_inbox *inbox;
    uint32_t units[TRN_ARENA_COUNT];
    void *mapped[TRN_ARENA_COUNT]; /* both or none */
    uint64_t ring_bytes;
    uint32_t ring_slices;
    void *ring_memory; /* NULL: own */
    uint64_t upload_bytes;
    uint32_t reads;
    uint64_t read_bytes;
    uint32_t retries;
    uint32_t idle_updates;
    uint32_t pressure_updates;
    uint32_t bias_max;
    float swap_margin;
    bool evict_idle_only;
} trni_stream_def;

/* What one update hands to the host; two of these alternate. */
typedef struct trni_stream_outputs {
    trn_read *reads; /* shared with the regions, which come first; capacity leaves room for both */
    uint32_t read_count, read_capacity;
    uint64_t *cancels;
    uint32_t cancel_count, cancel_capacity;
    trn_ring_write *writes;
    trn_model_chunk *write_chunks; /* what writes[i].chunk points to */
    uint32_t write_count;
    trn_copy *copies;
    uint32_t copy_count;
    trn_residency_change *changes;
    uint32_t change_count, change_capacity;
} trni_stream_outputs;

/* Bytes that were placed in an update are lent to its ring writes until the update after the next. */
typedef struct trni_lent_bytes {
    trn_completion completion;
    uint64_t update;
} trni_lent_bytes;

/* A read that is under way. */
typedef struct trni_open_read {
    uint64_t number;
    uint32_t page;  /* in the page table */
    uint32_t chunk; /* in the resource's list */
} trni_open_read;

/* Pages of one state, in no order. */
typedef struct trni_page_list {
    uint32_t *pages;
    uint32_t count;
} trni_page_list;

#define TRNI_NO_RESOURCE UINT32_MAX
#define TRNI_MAX_SLICES 8u

typedef struct trni_stream {
    trni_stream_def def;
    uint64_t update, submit, retired;

    trni_stream_resource *resources;
    uint32_t resource_capacity;
    trni_stream_page *pages;
    trn_page_entry *entries; /* the page table now */
    uint32_t page_capacity;  /* of pages, entries, the lists and the scratch */
    uint32_t page_end;       /* one past the last place ever used */
    uint32_t pages_used;
    uint32_t dirty_first, dirty_end; /* entries changed since the world last took them over */
    trni_page_list loading, ready, retiring;
    uint64_t *order; /* scratch for sorting pages */
    uint64_t marks;  /* last mark given */
    uint32_t pages_failed;
    trni_ranges ranges[TRN_ARENA_COUNT];

    trni_open_read *open; /* def.reads places */
    uint32_t open_count;
    uint64_t open_bytes;
    uint32_t in_flight; /* chunks that are being read, or have arrived and wait for the ring */
    uint64_t in_flight_bytes;
    uint64_t *cancelled; /* numbers to report in the next step; def.reads places */
    uint32_t cancelled_count;
    trni_lent_bytes *lent; /* 4 x def.reads places */
    uint32_t lent_count;

    unsigned char *ring;
    bool own_ring;
    uint64_t slice_bytes;
    uint64_t slice_used_by[TRNI_MAX_SLICES]; /* submission; 0: none */

    uint64_t ready_bytes;
    uint64_t upload_bytes; /* in this update */
    uint32_t evictions, refused;
    bool memory_refused;
    uint32_t bias, pressed, calm;
} trni_stream;

/* What a resource is made of; arrays are copied. */
typedef struct trni_stream_resource_def {
    const trn_model *model;
    uint32_t file;
    trn_model_id id;
} trni_stream_resource_def;

trn_result trni_stream_init(trni_stream *stream, const trni_stream_def *def);
void trni_stream_free(trni_stream *stream);

/* Adds the pages of a model. Its pages lie together in the page table. @return TRN_OK, TRN_ERROR_ARGUMENT (a page larger
 * than an arena: it could never be loaded), TRN_ERROR_OUT_OF_MEMORY */
trn_result trni_stream_add(trni_stream *stream, const trni_stream_resource_def *def, uint32_t *resource);
/* Drops everything of a resource; its ranges are used again when the GPU has finished with them. */
void trni_stream_remove(trni_stream *stream, uint32_t resource);
/* Failed pages of a resource may be read again. */
void trni_stream_retry(trni_stream *stream, uint32_t resource);

/* One update is begin, then the level choice writes the demand of pages and the priority of resources, then step.
 * Begin (stream_begin.c): releases bytes that outputs no longer point to, takes completions, makes pages ready.
 * Step (stream_step.c): retires ranges, evicts, admits, asks for reads, copies, changes the bias. */
void trni_stream_begin(trni_stream *stream, uint64_t update, uint64_t submit, uint64_t retired,
                       trni_stream_outputs *outputs);
void trni_stream_step(trni_stream *stream, trni_stream_outputs *outputs);

/* ---- inside this folder (stream.c) ---- */

static inline bool trni_page_is_held(const trni_stream_page *page) {
    return page->state == TRNI_PAGE_LOADING || page->state == TRNI_PAGE_READY;
}
/* Moves a page to another state: lists, counts, page table and ranges follow. A page that leaves loading or ready gives
 * up its reads; its ranges wait for `last_reader`, the last submission that may read them. */
void trni_stream_hold(trni_stream *stream, uint32_t page);
void trni_stream_make_ready(trni_stream *stream, uint32_t page, trni_stream_outputs *outputs);
void trni_stream_drop(trni_stream *stream, uint32_t page, uint64_t last_reader, trni_stream_outputs *outputs);
void trni_stream_fail(trni_stream *stream, uint32_t page, trni_stream_outputs *outputs);
/* Drops all that is held and depends on a page, directly or not. */
void trni_stream_drop_dependents(trni_stream *stream, uint32_t page, trni_stream_outputs *outputs);
/* Releases bytes when no output points to them any more. */
void trni_stream_lend(trni_stream *stream, const trn_completion *completion);
void trni_stream_retire(trni_stream *stream);
/* Bytes of mesh memory that a page takes. */
uint64_t trni_page_bytes(const trni_stream_page *page);

/* ---- importance, shared by the files of the step ---- */

/* Rank of a page: smaller is more important. Roots first, then the larger on screen, then the earlier page: within a
 * model the coarser one. The low 31 bits are the page. */
uint64_t trni_page_rank(const trni_stream *stream, uint32_t page);
static inline bool trni_page_wanted(const trni_stream *stream, const trni_stream_page *page) {
    return page->root || page->wanted == stream->update;
}
static inline bool trni_page_old_enough(const trni_stream *stream, const trni_stream_page *page) {
    return page->ready_since + stream->def.idle_updates <= stream->update;
}

/* Memory is full for a page: pages that may yield to it go, where that gives it a range in each arena (make_room.c).
 * True when room is on its way. */
bool trni_stream_make_room(trni_stream *stream, uint32_t page, trni_stream_outputs *outputs);

/* The trn_world_stats that the streamer knows. */
void trni_stream_get_stats(const trni_stream *stream, trn_world_stats *stats);

#endif
