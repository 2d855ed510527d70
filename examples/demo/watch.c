/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct watch_page {
    trn_page_entry entry; /* where it lies, while resident */
    uint32_t vertex_count;
    bool resident;
} watch_page;

typedef struct watch_model {
    trn_model_id id;
    uint32_t number;
    char name[32];
    uint32_t first_page; /* in the page table, and in `pages` */
    uint32_t page_count;
    uint32_t root_count; /* pages of the coarsest level: the model's first */
    uint32_t drawn;      /* draws of this frame */
} watch_model;

struct watch {
    watch_verdict verdicts[WATCH_RULES];
    uint32_t warm_up;
    /* For each vertex and each cluster of the arenas: the submission of the last copy into it; 0: none since it was
     * freed. */
    uint64_t *copied[TRN_ARENA_COUNT];
    uint64_t units[TRN_ARENA_COUNT];
    watch_model *models;
    watch_page *pages;
    uint32_t model_count, page_count;
};

static const uint64_t unit_bytes[TRN_ARENA_COUNT] = {TRN_VERTEX_BYTES, TRN_CLUSTER_BYTES};

watch *watch_create(uint64_t vertex_arena_bytes, uint64_t cluster_arena_bytes, uint32_t warm_up) {
    watch *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    static const char *const rules[WATCH_RULES] = {
        [WATCH_ALLOCATIONS] = "an update calls no allocator after warm-up",
        [WATCH_BUDGET] = "the copies of an update fit the upload budget",
        [WATCH_DRAWN] = "a model whose root is resident is drawn, and never with nothing",
        [WATCH_READY] = "no page is ready before the frame after its last copy",
    };
    for (int i = 0; i < WATCH_RULES; i++) w->verdicts[i].rule = rules[i];
    w->warm_up = warm_up;
    w->units[TRN_ARENA_VERTICES] = vertex_arena_bytes / TRN_VERTEX_BYTES;
    w->units[TRN_ARENA_CLUSTERS] = cluster_arena_bytes / TRN_CLUSTER_BYTES;
    for (int i = 0; i < TRN_ARENA_COUNT; i++)
        if (!(w->copied[i] = calloc(w->units[i] + 1, sizeof *w->copied[i]))) return watch_destroy(w), NULL;
    return w;
}

void watch_destroy(watch *w) {
    if (!w) return;
    for (int i = 0; i < TRN_ARENA_COUNT; i++) free(w->copied[i]);
    free(w->models);
    free(w->pages);
    free(w);
}

bool watch_add_model(watch *w, const watch_model_def *def) {
    watch_model *models = realloc(w->models, (w->model_count + 1) * sizeof *models);
    if (!models) return false;
    w->models = models;
    watch_page *pages = realloc(w->pages, ((size_t)w->page_count + def->page_count) * sizeof *pages);
    if (!pages) return false;
    w->pages = pages;
    for (uint32_t i = 0; i < def->page_count; i++)
        pages[w->page_count + i] = (watch_page){.vertex_count = def->page_vertices[i]};
    watch_model *model = &models[w->model_count++];
    *model = (watch_model){.id = def->id,
                           .number = def->number,
                           .first_page = w->page_count,
                           .page_count = def->page_count,
                           .root_count = def->root_count};
    snprintf(model->name, sizeof model->name, "%s", def->name);
    w->page_count += def->page_count;
    return true;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
broken(watch *w, watch_rule rule, const char *format, ...) {
    watch_verdict *verdict = &w->verdicts[rule];
    if (verdict->broken++ > 0) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict->first, sizeof verdict->first, format, arguments);
    va_end(arguments);
}

static watch_model *model_of(watch *w, uint32_t index1) {
    for (uint32_t i = 0; i < w->model_count; i++)
        if (w->models[i].id.index1 == index1) return &w->models[i];
    return NULL;
}

/* ---- Copies and readiness ---- */

static void mark(watch *w, trn_arena arena, uint64_t first, uint64_t count, uint64_t submit) {
    for (uint64_t i = first; i < first + count && i < w->units[arena]; i++) w->copied[arena][i] = submit;
}

static void forget_range(watch *w, const watch_page *page) {
    mark(w, TRN_ARENA_VERTICES, page->entry.vertex_base, page->vertex_count, 0);
    mark(w, TRN_ARENA_CLUSTERS, page->entry.cluster_base, page->entry.cluster_count, 0);
}

/* Says whether a range was copied whole, and when last. */
static bool copied_whole(const watch *w, trn_arena arena, uint64_t first, uint64_t count, uint64_t *last) {
    if (first + count > w->units[arena]) return false;
    for (uint64_t i = first; i < first + count; i++) {
        if (w->copied[arena][i] == 0) return false;
        if (w->copied[arena][i] > *last) *last = w->copied[arena][i];
    }
    return true;
}

static void look_at_arrival(watch *w, const watch_frame *frame, const watch_model *model, uint32_t page_index) {
    watch_page *page = &w->pages[model->first_page + page_index];
    page->entry = frame->pages[model->first_page + page_index];
    page->resident = true;
    w->verdicts[WATCH_READY].checks++;
    uint64_t last = 0;
    bool whole = copied_whole(w, TRN_ARENA_VERTICES, page->entry.vertex_base, page->vertex_count, &last) &&
                 copied_whole(w, TRN_ARENA_CLUSTERS, page->entry.cluster_base, page->entry.cluster_count, &last);
    if (page->entry.state != TRN_PAGE_RESIDENT)
        broken(w, WATCH_READY, "frame %u: %s page %u came, but the page table does not say so", frame->frame,
               model->name, page_index);
    else if (!whole)
        broken(w, WATCH_READY, "frame %u: %s page %u is ready with bytes that were never copied", frame->frame,
               model->name, page_index);
    else if (last >= frame->submit)
        broken(w, WATCH_READY, "frame %u: %s page %u is ready in the frame of its last copy", frame->frame, model->name,
               page_index);
}

static void look_at_changes(watch *w, const watch_frame *frame) {
    for (int arriving = 0; arriving < 2; arriving++) {
        for (uint32_t i = 0; i < frame->change_count; i++) {
            const trn_residency_change *change = &frame->changes[i];
            watch_model *model = model_of(w, change->model.index1);
            if (!model || change->page >= model->page_count || model->first_page + change->page >= frame->page_count) {
                broken(w, WATCH_READY, "frame %u: a change of a page that does not exist", frame->frame);
                continue;
            }
            if (change->resident != (arriving == 1)) continue;
            watch_page *page = &w->pages[model->first_page + change->page];
            if (arriving) {
                look_at_arrival(w, frame, model, change->page);
            } else {
                forget_range(w, page);
                page->resident = false;
            }
        }
        /* Between those that went and those that came: what this frame copies. */
        if (arriving == 0)
            for (uint32_t i = 0; i < frame->copy_count; i++) {
                const trn_copy *copy = &frame->copies[i];
                mark(w, copy->arena, copy->to / unit_bytes[copy->arena], copy->bytes / unit_bytes[copy->arena],
                     frame->submit);
            }
    }
}

/* ---- Draws ---- */

static bool root_resident(const watch *w, const watch_model *model) {
    for (uint32_t i = 0; i < model->root_count; i++)
        if (!w->pages[model->first_page + i].resident) return false;
    return true;
}

static void look_at_draws(watch *w, const watch_frame *frame) {
    for (uint32_t i = 0; i < w->model_count; i++) w->models[i].drawn = 0;
    watch_model *model = NULL;
    for (uint32_t i = 0; i < frame->draw_count; i++) {
        const trn_draw *draw = &frame->draws[i];
        if (!model || model->id.index1 != draw->model) model = model_of(w, draw->model);
        bool known = model && draw->first_page == model->first_page;
        /* All pages, or those of the coarsest level alone while the region is only resident. */
        if (!known || (draw->page_count != model->page_count && draw->page_count != model->root_count)) {
            broken(w, WATCH_DRAWN, "frame %u: draw %u names pages that are not its model's", frame->frame, i);
            continue;
        }
        model->drawn++;
        w->verdicts[WATCH_DRAWN].checks++;
        for (uint32_t page = 0; page < model->root_count; page++)
            if (frame->pages[model->first_page + page].state != TRN_PAGE_RESIDENT) {
                broken(w, WATCH_DRAWN, "frame %u: a draw of %s without its coarsest level", frame->frame, model->name);
                break;
            }
    }
    for (uint32_t i = 0; i < w->model_count; i++) {
        model = &w->models[i];
        w->verdicts[WATCH_DRAWN].checks++;
        uint32_t placed = frame->placed[model->number];
        if (root_resident(w, model) && model->drawn < placed)
            broken(w, WATCH_DRAWN, "frame %u: %s is resident, but %u of its %u placements are not drawn", frame->frame,
                   model->name, placed - model->drawn, placed);
    }
}

void watch_look(watch *w, const watch_frame *frame) {
    if (frame->frame >= w->warm_up) {
        w->verdicts[WATCH_ALLOCATIONS].checks++;
        if (frame->allocations > 0)
            broken(w, WATCH_ALLOCATIONS, "frame %u: %llu allocator calls in the update", frame->frame,
                   (unsigned long long)frame->allocations);
    }
    uint64_t copied = 0;
    for (uint32_t i = 0; i < frame->copy_count; i++) copied += frame->copies[i].bytes;
    w->verdicts[WATCH_BUDGET].checks++;
    if (copied > frame->budget_bytes)
        broken(w, WATCH_BUDGET, "frame %u: %llu bytes copied, %llu allowed", frame->frame, (unsigned long long)copied,
               (unsigned long long)frame->budget_bytes);
    look_at_changes(w, frame);
    look_at_draws(w, frame);
}

const watch_verdict *watch_verdicts(const watch *w) { return w->verdicts; }

bool watch_all_hold(const watch *w) {
    for (int i = 0; i < WATCH_RULES; i++)
        if (w->verdicts[i].broken > 0) return false;
    return true;
}
