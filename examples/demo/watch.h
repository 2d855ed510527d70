/* SPDX-License-Identifier: MIT */
/* Looks over the library's shoulder: what it promises of every frame is checked against what it gives the host.
 *
 * - no allocator call in an update after warm-up
 * - the copies of an update are not more than the upload budget
 * - a model whose coarsest level is resident and that stands in a loaded region is drawn, and each of its draws finds
 *   the whole coarsest level in memory
 * - a page becomes resident only when every byte of its ranges was copied, and in an earlier frame
 *
 * Pure: outputs of a frame in, verdicts out. It knows of the GPU's memory only what the copies said. */
#ifndef DEMO_WATCH_H
#define DEMO_WATCH_H

#include <terrane/world.h>

typedef enum watch_rule { WATCH_ALLOCATIONS, WATCH_BUDGET, WATCH_DRAWN, WATCH_READY, WATCH_RULES } watch_rule;

typedef struct watch_verdict {
    const char *rule;
    uint64_t checks; /* how often it was looked at */
    uint64_t broken;
    char first[160]; /* the first time it was broken */
} watch_verdict;

typedef struct watch watch;

/* NULL: out of memory. `warm_up`: frames in which updates may allocate. */
watch *watch_create(uint64_t vertex_arena_bytes, uint64_t cluster_arena_bytes, uint32_t warm_up);
void watch_destroy(watch *w);

/* A model, as far as the watch must know it. */
typedef struct watch_model_def {
    trn_model_id id;
    uint32_t number; /* its place in watch_frame.placed */
    const char *name;
    const uint32_t *page_vertices; /* of each page; copied */
    uint32_t page_count;
    uint32_t root_count; /* pages of the coarsest level: the first ones */
} watch_model_def;

/* Tells of a model, in the order of registration: the page table has the models' pages in that order. False: out of
 * memory. */
bool watch_add_model(watch *w, const watch_model_def *def);

/* What a frame gave. Arrays are those of trn_world. */
typedef struct watch_frame {
    uint32_t frame;
    uint64_t submit;
    uint64_t allocations; /* allocator calls, frees included, during the update */
    uint64_t budget_bytes;
    const trn_copy *copies;
    const trn_residency_change *changes;
    const trn_page_entry *pages;
    const trn_draw *draws;
    uint32_t copy_count, change_count, page_count, draw_count;
    const uint32_t
        *placed; /* for each model number: placements that were in a loaded region before and after the update */
} watch_frame;

void watch_look(watch *w, const watch_frame *frame);

const watch_verdict *watch_verdicts(const watch *w); /* WATCH_RULES of them */
bool watch_all_hold(const watch *w);

#endif
