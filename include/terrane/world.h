/* SPDX-License-Identifier: MIT */
/** @file
 * The world: regions, models and instances, driven by one call a frame.
 *
 * trn_world_update goes through its phases in a fixed order (docs/frame.md). What it decides lies in arrays that stay
 * valid, with all they point to, until the update after the next, so that a render thread may run a frame behind.
 * Between two updates the host serves the reads (trn_host does), runs the ring writes, records the copies, draws.
 *
 * One thread at a time uses a world. Completions come through the inbox from any thread. After warm-up an update calls
 * no allocator: tables grow in the calls that add things.
 */
#ifndef TERRANE_WORLD_H
#define TERRANE_WORLD_H

#include "lod.h"
#include "region.h"
#include "shader/terrane_shared.h"
#include "stream.h"

/** Says "none" where zero stands for the default of a length or factor. */
#define TRN_NONE (-1.0f)

/** `trn_frame.retired`: the GPU has finished no submission yet. */
#define TRN_RETIRED_NONE UINT64_MAX

/** A world. Zero is the documented default. */
typedef struct trn_world_def {
    trn_allocator allocator;
    trn_log log;
    trn_assert assert_hook;
    trn_inbox *inbox;  /**< required; outlives the world */
    bool edit;         /**< edit world: every region is wanted active */
    bool auto_confirm; /**< region events count as confirmed by the next update: for hosts that act on them at once */

    float hysteresis;           /**< a loaded region keeps until radius x this; 0: 1.2; TRN_NONE: 1 */
    float margin;               /**< and at least until radius + this, metres; 0: 10; TRN_NONE: 0 */
    uint32_t loads_started;     /**< loads that may begin an update; 0: 8 */
    uint32_t loads_finished;    /**< loads handed to the host an update; 0: 8 */
    uint32_t unloads;           /**< unloads that may begin an update; 0: 16 */
    uint64_t region_read_bytes; /**< payload bytes in flight; 0: 64 MiB; one larger payload passes alone */
    trn_payload region_zero_payload;

    uint64_t mesh_memory_bytes;   /**< for both arenas; 0: 256 MiB */
    uint64_t vertex_memory_bytes; /**< share of the vertices; 0: three quarters */
    void
        *vertex_memory; /**< the host's mapped arenas, both or none: then the ring is skipped and there are no copies */
    void *cluster_memory;
    uint64_t ring_bytes;       /**< staging ring; 0: 33 MiB */
    uint32_t ring_slices;      /**< frames in flight; 0: 3; 2..8 */
    void *ring_memory;         /**< the host's mapped ring; NULL: the library's own */
    uint64_t upload_bytes;     /**< copied an update; 0: 10 MiB; not more than a slice of the ring */
    uint32_t reads;            /**< chunk reads in flight; 0: 32 */
    uint64_t read_bytes;       /**< chunk bytes in flight; 0: 64 MiB */
    uint32_t retries;          /**< further reads of a failed chunk; 0: 3 */
    uint32_t idle_updates;     /**< updates in memory before a page nobody wants may go; 0: 60 */
    uint32_t pressure_updates; /**< refused, or calm, that many updates in a row changes the bias; 0: 120 */
    uint32_t bias_max;         /**< 0: 4 */
    float keep_margin;         /**< a needed level is kept until the error is smaller by this factor; 0: 1.3 */
    float swap_margin;         /**< who takes another's place must be larger on screen by this part; 0: 0.1 */
    bool evict_idle_only;      /**< never evict what is still kept, whatever the pressure */
} trn_world_def;

/** What is true in this frame. Arrays are only read, and only during the update. */
typedef struct trn_frame {
    const trn_source *sources; /**< in any order */
    uint32_t source_count;
    uint32_t view_count; /**< at most TRN_MAX_VIEWS */
    const trn_view *views;
    uint64_t submit;  /**< submission this update's copies go into, counted from 1, rising; 0: one more than the last */
    uint64_t retired; /**< last submission the GPU has finished; 0: submit - frames in flight; TRN_RETIRED_NONE */
    double render_origin[3]; /**< matrices of draws are relative to it; finite */
} trn_frame;

#define TRN_MAX_VIEWS 16u
#define TRN_MAX_SOURCES 4096u

/** What happened. */
typedef enum trn_event_type {
    TRN_EVENT_REGION_LOAD = 1,   /**< its bytes are here: make its entities, then confirm (`data` until confirmed) */
    TRN_EVENT_REGION_UNLOAD = 2, /**< remove its entities, then confirm */
    TRN_EVENT_REGION_STATE = 3,  /**< its actual state went `from` -> `to` */
    TRN_EVENT_LOAD_END = 4,      /**< the one end of a load: `end` and `result` */
    TRN_EVENT_REGION_DELETED = 5 /**< its id is stale from now on */
} trn_event_type;

/** How a load ended. */
typedef enum trn_load_end {
    TRN_LOAD_OK = 0,
    TRN_LOAD_FAILED = 1,
    TRN_LOAD_CANCELLED = 2, /**< no longer wanted, or its region deleted */
    TRN_LOAD_SUPERSEDED = 3 /**< its payload was replaced */
} trn_load_end;

typedef struct trn_event {
    trn_event_type type;
    trn_region_id region;
    uint32_t ticket; /**< of load and unload: give it to trn_region_confirm */
    trn_state from, to;
    trn_load_end end;
    trn_result result; /**< TRN_OK, or why a load failed */
    const void *data;  /**< payload; NULL without one; stays until the load is confirmed */
    size_t bytes;
    uint64_t user_data; /**< of the region */
} trn_event;

/** @return TRN_OK, TRN_ERROR_ARGUMENT (no inbox, a slice smaller than a chunk, an upload budget larger than a slice, a
 *          number out of range; the assert hook is told which), TRN_ERROR_OUT_OF_MEMORY */
TRN_API trn_result trn_world_create_sized(const trn_world_def *def, size_t def_size, trn_world **world);
static inline trn_result trn_world_create(const trn_world_def *def, trn_world **world) {
    return trn_world_create_sized(def, sizeof *def, world);
}
/** Never waits. Bytes that were handed in are released; what is still being read is released when it arrives. */
TRN_API void trn_world_destroy(trn_world *world);

/** One frame.
 * @return TRN_OK, TRN_ERROR_ARGUMENT (a NaN, a radius or angle out of range, `submit` that does not rise: nothing changed) */
TRN_API trn_result trn_world_update_sized(trn_world *world, const trn_frame *frame, size_t frame_size);
static inline trn_result trn_world_update(trn_world *world, const trn_frame *frame) {
    return trn_world_update_sized(world, frame, sizeof *frame);
}

/* Outputs of the last update. Each returns the number of elements. */
TRN_API uint32_t trn_world_events(const trn_world *world, const trn_event **events);
TRN_API uint32_t trn_world_reads(const trn_world *world, const trn_read **reads);
TRN_API uint32_t trn_world_cancels(const trn_world *world, const uint64_t **numbers); /**< of reads no longer wanted */
TRN_API uint32_t trn_world_ring_writes(const trn_world *world, const trn_ring_write **writes);
TRN_API uint32_t trn_world_copies(const trn_world *world, const trn_copy **copies);
TRN_API uint32_t trn_world_residency_changes(const trn_world *world, const trn_residency_change **changes);
TRN_API uint32_t trn_world_draws(const trn_world *world, uint32_t view, const trn_draw **draws);
/** The page table; entries [first, first + count) differ from the last update's. */
TRN_API uint32_t trn_world_page_table(const trn_world *world, const trn_page_entry **entries, uint32_t *first,
                                      uint32_t *count);

/** Size of an arena in bytes: what the host makes its buffers by. */
TRN_API uint64_t trn_world_arena_bytes(const trn_world *world, trn_arena arena);
/** The ring's size, and its memory where the library has it. */
TRN_API uint64_t trn_world_ring_bytes(const trn_world *world, void **memory);

#define TRN_STATS_LEVELS 24u

/** Figures at no cost. */
typedef struct trn_world_stats {
    uint64_t update; /**< updates so far */
    uint64_t submit;
    uint32_t regions;
    uint32_t regions_by_state[5]; /**< by trn_state */
    uint32_t regions_failed;
    uint32_t requests_set;
    uint32_t loads_started; /**< in the last update, as the next two */
    uint32_t loads_finished;
    uint32_t unloads_started;
    uint32_t models;
    uint32_t models_ready;
    uint32_t models_failed;
    uint32_t models_not_drawn_memory;
    uint32_t instances;
    uint32_t draws;                            /**< of all views */
    uint32_t draws_by_level[TRN_STATS_LEVELS]; /**< of view 0, by the finest level each can use now */
    uint32_t pages;
    uint32_t pages_ready;
    uint32_t pages_failed;
    uint64_t resident_bytes; /**< of ready pages, fill included */
    uint64_t reserved_bytes; /**< of all ranges lent, those that wait for the GPU included */
    uint64_t memory_bytes;   /**< of both arenas: the cap */
    uint64_t upload_bytes;   /**< in the last update */
    uint64_t upload_budget_bytes;
    uint32_t reads_in_flight;
    uint64_t read_bytes_in_flight;
    uint64_t ring_bytes_waiting; /**< decoded bytes that wait for the ring */
    uint32_t evictions;          /**< in the last update */
    uint32_t refused;            /**< pages that could not be admitted in the last update, for memory, budget or ring */
    uint32_t bias;
    uint64_t cpu_bytes; /**< memory lent by the allocator now */
} trn_world_stats;

TRN_API void trn_world_get_stats(const trn_world *world, trn_world_stats *stats);

#endif
