/* SPDX-License-Identifier: MIT */
/** @file
 * Regions: boxes of the world that are unloaded, resident or active, each moved one step an update.
 *
 * Every update works out each region's desired state from all inputs of the frame, in this order: the authored state
 * (in an edit world: active), the sources that reach its box, region 0 (resident while anything else is wanted), and
 * last the request, which replaces all of it. Then the actual state moves one step toward the desired one.
 *
 *     unloaded -> loading -> resident <-> active -> unloading -> unloaded
 *
 * Loading reads the payload, if there is one; then the host is told (TRN_EVENT_REGION_LOAD), makes its entities, and
 * confirms. Unloading is told and confirmed the same way. Region 0 comes with the world: it has no box, loads before
 * all others and unloads after them.
 */
#ifndef TERRANE_REGION_H
#define TERRANE_REGION_H

#include "id.h"
#include "math_types.h"

typedef struct trn_world trn_world;

/** State of a region. Authored, requested and desired states are the first three. */
typedef enum trn_state {
    TRN_STATE_UNLOADED = 0,
    TRN_STATE_RESIDENT = 1, /**< in memory, not simulated or drawn in full */
    TRN_STATE_ACTIVE = 2,
    TRN_STATE_LOADING = 3,
    TRN_STATE_UNLOADING = 4
} trn_state;

/** Where a region's bytes are. All zero: it has none. */
typedef struct trn_payload {
    uint32_t file;   /**< the host's number of a file */
    uint32_t bytes;  /**< 0: no payload */
    uint64_t offset; /**< from the start of the file */
} trn_payload;

/** What a region is. */
typedef struct trn_region_def {
    const char *name;   /**< copied, at most 63 bytes; NULL: "region N" */
    trn_world_box box;  /**< metres; min <= max, infinite sides allowed */
    trn_state authored; /**< unloaded, resident or active */
    trn_payload payload;
    uint64_t user_data;
    double load_radius;   /**< metres: replaces the radius of every source for this region; 0: the sources' own */
    double unload_radius; /**< metres, >= load_radius; 0: made from load_radius as for sources */
} trn_region_def;

/** What needs the world around it, in one update. */
typedef struct trn_source {
    double position[3]; /**< metres, finite */
    double radius;      /**< metres from the position to the nearest point of a box; >= 0, infinite: everywhere */
    trn_state target;   /**< resident or active; 0: active */
    float weight;       /**< > 0: divides distances when loads are put in order; 0: 1 */
    uint64_t owner;     /**< the host's tag */
    bool observer;      /**< counts and is reported, but loads nothing */
} trn_source;

/** No state: no request is set. */
#define TRN_STATE_NONE (-1)

/** What a panel shows of a region. */
typedef struct trn_region_info {
    trn_state actual;
    trn_state desired;
    trn_state authored;
    int32_t request;       /**< a trn_state, or TRN_STATE_NONE */
    uint32_t source_count; /**< sources that reached it in the last update */
    bool failed;
    trn_result failure; /**< why, while failed */
    uint64_t age;       /**< updates in the actual state */
    uint32_t instance_count;
    trn_payload payload;
    trn_world_box box;
    uint64_t user_data;
} trn_region_info;

/** Adds a region. Between updates; the world's tables grow here.
 * @return TRN_OK, TRN_ERROR_ARGUMENT (NaN or inverted box, bad state, radius), TRN_ERROR_OUT_OF_MEMORY */
TRN_API trn_result trn_region_create_sized(trn_world *world, const trn_region_def *def, size_t def_size,
                                           trn_region_id *region);
static inline trn_result trn_region_create(trn_world *world, const trn_region_def *def, trn_region_id *region) {
    return trn_region_create_sized(world, def, sizeof *def, region);
}

/** Deletes a region: it unloads first, then its id is stale (TRN_EVENT_REGION_DELETED). Its instances are destroyed.
 * @return TRN_OK, TRN_ERROR_STALE_ID, TRN_ERROR_ARGUMENT (region 0) */
TRN_API trn_result trn_region_delete(trn_world *world, trn_region_id region);

/** Sets the state that desired starts from. */
TRN_API trn_result trn_region_set_authored(trn_world *world, trn_region_id region, trn_state state);

/** Overrides everything else that is wanted of a region, until cleared. A request below resident on region 0 asks the
 * same of all others first, and then of itself.
 * @return TRN_OK, TRN_ERROR_STALE_ID, TRN_ERROR_ARGUMENT */
TRN_API trn_result trn_region_request(trn_world *world, trn_region_id region, trn_state state);
TRN_API trn_result trn_region_clear_request(trn_world *world, trn_region_id region);
TRN_API void trn_world_clear_requests(trn_world *world);

/** Names new bytes for a region. While it loads, that load is superseded and starts anew; a failure is forgotten; a
 * loaded region keeps what it has until it next loads. */
TRN_API trn_result trn_region_set_payload(trn_world *world, trn_region_id region, trn_payload payload);

/** Lets a failed region try again. Nothing happens to one that has not failed. */
TRN_API trn_result trn_region_retry(trn_world *world, trn_region_id region);
TRN_API void trn_world_retry_regions(trn_world *world);

/** Answers TRN_EVENT_REGION_LOAD and TRN_EVENT_REGION_UNLOAD: the entities are there, or gone.
 * @param ticket of the event
 * @param result TRN_OK, or why a load failed (the region is then failed; nothing of it may remain)
 * @return TRN_OK, TRN_ERROR_STALE_ID (region or ticket of the past), TRN_ERROR_STATE (nothing to confirm),
 *         TRN_ERROR_ARGUMENT (a failed unload) */
TRN_API trn_result trn_region_confirm(trn_world *world, trn_region_id region, uint32_t ticket, trn_result result);

TRN_API trn_result trn_region_get_info(const trn_world *world, trn_region_id region, trn_region_info *info);
/** Its name, valid until the region is gone; "" for a stale id. */
TRN_API const char *trn_region_name(const trn_world *world, trn_region_id region);
TRN_API bool trn_region_is_valid(const trn_world *world, trn_region_id region);
/** The region that every world has from the start. */
TRN_API trn_region_id trn_world_region_zero(const trn_world *world);
/** Regions that exist, region 0 included, in the order of their places. @return their number, also past capacity */
TRN_API uint32_t trn_world_regions(const trn_world *world, trn_region_id *regions, uint32_t capacity);

#endif
