/* SPDX-License-Identifier: MIT */
/* The regions of one world: their table, what is wanted of each, and the state machine that moves them. Knows sources,
 * bytes and events; knows nothing of models, instances or views. */
#ifndef TRNI_REGION_INTERNAL_H
#define TRNI_REGION_INTERNAL_H

#include <terrane/region.h>
#include <terrane/stream.h>
#include <terrane/world.h>

typedef struct trni_regions trni_regions;

typedef struct trni_regions_def {
    trn_allocator allocator; /* made by trni_allocator_make */
    trn_log log;
    trn_assert assert_hook;
    trn_inbox *inbox;
    bool edit;
    bool auto_confirm;
    double hysteresis;      /* >= 1 */
    double margin;          /* metres, >= 0 */
    uint32_t loads_started; /* caps of one update; 0: none at all */
    uint32_t loads_finished;
    uint32_t unloads;
    uint64_t read_bytes; /* asked for and not yet handed to the host; one larger payload passes alone */
    trn_payload region_zero_payload;
} trni_regions_def;

/* TRN_ERROR_ARGUMENT: no inbox, a number out of its range. */
trn_result trni_regions_create(const trni_regions_def *def, trni_regions **regions);
/* Releases bytes that were handed in; open requests are abandoned in the inbox. */
void trni_regions_destroy(trni_regions *regions);

/* The public calls of region.h, without the world around them. */
trn_result trni_region_create(trni_regions *regions, const trn_region_def *def, trn_region_id *region);
trn_result trni_region_delete(trni_regions *regions, trn_region_id region);
trn_result trni_region_set_authored(trni_regions *regions, trn_region_id region, trn_state state);
trn_result trni_region_request(trni_regions *regions, trn_region_id region, trn_state state);
trn_result trni_region_clear_request(trni_regions *regions, trn_region_id region);
void trni_regions_clear_requests(trni_regions *regions);
trn_result trni_region_set_payload(trni_regions *regions, trn_region_id region, trn_payload payload);
trn_result trni_region_retry(trni_regions *regions, trn_region_id region);
void trni_regions_retry(trni_regions *regions);
trn_result trni_region_confirm(trni_regions *regions, trn_region_id region, uint32_t ticket, trn_result result);
trn_result trni_region_get_info(const trni_regions *regions, trn_region_id region, trn_region_info *info);
const char *trni_region_name(const trni_regions *regions, trn_region_id region);
bool trni_region_is_valid(const trni_regions *regions, trn_region_id region);
uint32_t trni_regions_list(const trni_regions *regions, trn_region_id *ids, uint32_t capacity);

/* The world counts the instances of each region (for the panel). index = index1 - 1 of a valid id. */
void trni_region_count_instances(trni_regions *regions, uint32_t index, int32_t change);
/* Actual state by place; unloaded for a free place. */
trn_state trni_region_actual(const trni_regions *regions, uint32_t index);

/* Output arrays of one update, lent by the world. What does not fit waits for the next update, in order. */
typedef struct trni_region_outputs {
    trn_event *events;
    uint32_t event_count;
    uint32_t event_capacity; /* >= TRNI_REGION_EVENTS_MIN */
    trn_read *reads;
    uint32_t read_count;
    uint32_t read_capacity; /* with loads_started no read waits for it */
    uint64_t *cancels;
    uint32_t cancel_count;
    uint32_t cancel_capacity; /* see trni_regions_capacity */
} trni_region_outputs;

#define TRNI_REGION_EVENTS_MIN 64u

/* Capacities that the output arrays should have for the regions that exist now; the world grows them after a create. */
typedef struct trni_region_capacity {
    uint32_t events;
    uint32_t reads;
    uint32_t cancels;
} trni_region_capacity;
trni_region_capacity trni_regions_capacity(const trni_regions *regions);

/* Phase 1: takes what has arrived; when and in which order it did makes no difference. Bytes whose load ended in the last
 * update are released here: the events of the update that handed them out are no longer valid. */
void trni_regions_take(trni_regions *regions);
/* Phase 4: rebuilds the search trees when many regions were created or deleted since they were built; a few new ones are
 * tested one by one until then. Never allocates: the calls that create regions make the room. False: a broken invariant,
 * which the assert hook was told of. */
bool trni_regions_upkeep(trni_regions *regions);
/* Checks sources; false when one is not valid. */
bool trni_sources_valid(const trn_source *sources, uint32_t count);
/* Phase 5: desired states from all inputs, then one transition each; appends events, reads and cancels. Sources are valid
 * (trni_sources_valid). docs/regions.md says what happens in which update, and in which order events come. */
void trni_regions_step(trni_regions *regions, const trn_source *sources, uint32_t count, trni_region_outputs *outputs);

/* Places of the regions that became resident or active, or were so until now, in the last step, each once: the world looks
 * again at their instances. The list stays until the next step. */
uint32_t trni_regions_changed(const trni_regions *regions, const uint32_t **indices);

typedef struct trni_regions_stats {
    uint32_t count;
    uint32_t by_state[5];
    uint32_t failed;
    uint32_t requests_set;
    uint32_t loads_started, loads_finished, unloads_started;
} trni_regions_stats;
void trni_regions_get_stats(const trni_regions *regions, trni_regions_stats *stats);

#endif
