/* SPDX-License-Identifier: MIT */
/* How the regions of a world lie in memory, and what the files of this folder call in each other.
 *
 * Data flows one way in an update: region_take.c (bytes that arrived) -> region_demand.c (what is wanted; pure) ->
 * region_step.c (what is done about it). region_table.c has the calls between updates, region_tree.c the search.
 *
 * All arrays are indexed by place (id.index1 - 1) or are lists of places; each has room for every place, made when a
 * region is created, so that an update allocates nothing. Place 0 is region 0. */
#ifndef TRNI_REGION_TABLE_H
#define TRNI_REGION_TABLE_H

#include <terrane/bvh.h>

#include "base/base_internal.h"
#include "region_internal.h"

#define TRNI_REGION_NO_SLOT UINT32_MAX

/* Payloads that may be with the library at once, from the read that is asked for to the release of the bytes. */
#define TRNI_REGION_LOADS_MAX 4096u

/* What a region in Loading or Unloading waits for. */
typedef enum trni_region_wait {
    TRNI_WAIT_NOTHING = 0,
    TRNI_WAIT_READ,      /* loading: its bytes */
    TRNI_WAIT_HAND_OVER, /* loading: its turn to be handed to the host; load_result says how the read went */
    TRNI_WAIT_CONFIRM,   /* loading, unloading: the host's answer to its ticket */
    TRNI_WAIT_DONE       /* loading, unloading: the next update; load_result is the host's answer */
} trni_region_wait;

/* What changes in updates. One cache line. */
typedef struct trni_region_state {
    uint32_t generation; /* > 0 */
    uint32_t load1;      /* its bytes: place in loads + 1; 0: none */
    uint32_t live1;      /* place in the live list + 1; 0: not in it */
    uint32_t slot;       /* in its tree; bit 31: in the tree's pending list; a free place: the next free one */
    uint32_t ticket;     /* of the last load or unload event */
    uint32_t source_count;
    uint64_t touched; /* the last update that looked at it */
    uint64_t since;   /* the update of the last transition */
    double nearest;   /* to a source that reached it, weighted; < 0: none did */
    int16_t load_result;
    uint8_t actual;
    uint8_t desired;
    uint8_t goal; /* while loading: desired of the last update */
    uint8_t wait;
    uint8_t authored;
    int8_t request;
    bool exists : 1;
    bool dying : 1; /* deleted, not yet gone */
    bool failed : 1;
    bool own_radius : 1;
    bool superseded : 1; /* loading, and the payload was replaced before the host got it */
    bool restarting : 1; /* unloaded between a superseded load and the next one */
    uint8_t action;      /* of this update */
} trni_region_state;

_Static_assert(sizeof(trni_region_state) <= 64, "a cache line");

/* What the host told about a region. */
typedef struct trni_region_facts {
    trn_world_box box;
    trn_payload payload;
    uint64_t user_data;
    double load_radius; /* with own_radius */
    double keep_radius; /* with own_radius: >= load_radius */
    uint32_t instance_count;
    int32_t failure; /* while failed */
    char name[64];
} trni_region_facts;

/* A payload on its way, or with the host. */
typedef struct trni_region_load {
    uint64_t number; /* of the read; 0: the completion is here */
    uint32_t place;  /* of the region, while it loads */
    uint32_t bytes;
    uint32_t next; /* free: the next free load + 1; reading: place in the reading list */
    trn_completion completion;
} trni_region_load;

/* A search tree over regions. What was created since it was built is in `pending` and tested one by one. */
typedef struct trni_region_tree {
    trn_bvh *bvh;
    uint32_t reserved; /* boxes that the bvh has room for */
    uint32_t count;    /* slots, dead ones included */
    uint32_t dead;
    uint32_t pending_count;
    uint32_t *places; /* by slot; TRNI_REGION_NO_SLOT: the region is gone */
    uint32_t place_capacity;
    uint32_t *pending;
    uint32_t pending_capacity;
    trn_world_box *boxes; /* only while building */
    uint32_t box_capacity;
} trni_region_tree;

typedef struct trni_region_candidate {
    double key;
    uint32_t place;
} trni_region_candidate;

struct trni_regions {
    trni_regions_def def;
    uint64_t step; /* updates so far */
    uint32_t last_ticket;
    uint64_t bytes_in_flight; /* asked for and not yet handed to the host */

    uint32_t place_count; /* used or free */
    uint32_t free_place;  /* TRNI_REGION_NO_SLOT: none */
    trni_region_state *states;
    uint32_t state_capacity;
    trni_region_facts *facts;
    uint32_t fact_capacity;

    trni_region_tree plain; /* regions that sources reach with the sources' radii: their boxes */
    trni_region_tree own;   /* regions with radii of their own: boxes grown by them, asked with points */

    /* Every region that can be wanted or move without a source. */
    uint32_t *live;
    uint32_t live_capacity;
    uint32_t live_count;
    /* Those that the last update looked at: live or reached by a source. All others are unloaded and unwanted. */
    uint32_t *touched;
    uint32_t touched_capacity;
    uint32_t touched_count;
    uint32_t *changed;
    uint32_t changed_capacity;
    uint32_t changed_count;
    trni_region_candidate *queue;
    uint32_t queue_capacity;
    uint32_t *hits; /* of one query */
    uint32_t hit_capacity;
    double *distances;
    uint32_t distance_capacity;

    trni_region_load *loads;
    uint32_t load_capacity;
    uint32_t load_count; /* used or free */
    uint32_t free_load1; /* + 1 */
    uint32_t *reading;   /* loads whose bytes are awaited */
    uint32_t reading_capacity;
    uint32_t reading_count;
    uint32_t *retiring; /* loads whose bytes go at the next take */
    uint32_t retiring_capacity;
    uint32_t retiring_count;

    trni_regions_stats stats;
};

static inline bool trni_state_is_loaded(uint8_t state) {
    return state == TRN_STATE_RESIDENT || state == TRN_STATE_ACTIVE;
}

/* ---- region_table.c ---- */

/* Puts a region into the live list or takes it out, after any change to what the list goes by. */
void trni_region_relist(trni_regions *regions, uint32_t place);
/* Frees the place of a deleted region. */
void trni_region_free(trni_regions *regions, uint32_t place);

/* ---- region_tree.c ---- */

bool trni_region_tree_create(trni_region_tree *tree, const trn_allocator *allocator);
void trni_region_tree_destroy(trni_region_tree *tree, const trn_allocator *allocator);
/* Makes room for `wanted` regions, so that rebuilding never allocates. False: no memory, nothing lost. */
bool trni_region_tree_reserve(trni_regions *regions, trni_region_tree *tree, uint32_t wanted);
void trni_region_tree_add(trni_regions *regions, trni_region_tree *tree, uint32_t place);
void trni_region_tree_remove(trni_regions *regions, trni_region_tree *tree, uint32_t place);

/* ---- region_demand.c ---- */

double trni_box_distance_squared(const trn_world_box *box, const double point[3]);
/* Radius within which a loaded region is kept; never NaN for a radius >= 0. */
double trni_region_keep_radius(const trni_regions *regions, double radius);
/* Fills touched, and desired, source_count and nearest of those in it. */
void trni_region_demand(trni_regions *regions, const trn_source *sources, uint32_t count);

/* ---- region_take.c ---- */

/* Asks for a region's bytes. False: no free place for the load, or none in the inbox. */
bool trni_region_read(trni_regions *regions, uint32_t place, trn_read *read);
/* Gives up the bytes of a load that the host never got. @return the number of the read if it was still open, else 0 */
uint64_t trni_region_drop_load(trni_regions *regions, uint32_t place);
/* The load is over on the host's side: its bytes stay for one more update. */
void trni_region_retire_load(trni_regions *regions, uint32_t place);

#endif
