/* SPDX-License-Identifier: MIT */
/* A world with everything around it that a test needs: cooked models in memory, a scripted loader, and a GPU that does
 * its work as late as it may. It checks the rules of the streamer in every frame, whatever the test is about:
 *
 * - what the page table calls resident is in mesh memory, byte for byte, before the copies of the same submission run and
 *   after them (so a page is never ready in the submission of its last copy, and no range or ring slice is used too early:
 *   the GPU reads the ring only when it executes);
 * - residency is closed: all that a resident page depends on is resident;
 * - copies stay inside the upload budget and inside the arenas;
 * - a model whose root is ready has all its root pages resident, and draws of it are listed;
 * - bytes that were lent to the world are released exactly once.
 */
#ifndef TEST_WORLD_RIG_H
#define TEST_WORLD_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <terrane/terrane.h>

#include "fault_allocator.h"
#include "noise_sphere.h"
#include "random.h"

#define RIG_MODELS 4u
#define RIG_READS 512u
#define RIG_QUEUE 8u
#define RIG_UNKNOWN UINT32_MAX

/* A model file, and what its pages must look like in mesh memory. */
typedef struct rig_model {
    trn_cooked file;
    trn_model *tables;
    trn_model_info info;
    unsigned char **pages[TRN_ARENA_COUNT]; /* by page */
    trn_model_id id;
    uint32_t first_page; /* in the page table; RIG_UNKNOWN while no draw has told it */
} rig_model;

/* A submission that the GPU has not executed yet. */
typedef struct rig_submission {
    uint64_t number;
    trn_page_entry *entries;
    uint32_t entry_count;
    trn_copy *copies;
    uint32_t copy_count;
    uint32_t first_page[RIG_MODELS];
} rig_submission;

typedef struct rig_pending_read {
    trn_read read;
    uint64_t due;
    bool used;
} rig_pending_read;

typedef struct world_rig {
    uint64_t random;
    fault_allocator memory;
    trn_inbox *inbox;
    trn_world *world;
    trn_world_def def;
    rig_model models[RIG_MODELS];
    uint32_t model_count;
    unsigned char *arena[TRN_ARENA_COUNT];
    rig_submission queue[RIG_QUEUE];
    uint32_t queue_count;
    uint64_t submit, executed;
    rig_pending_read reads[RIG_READS];
    uint64_t lent, released; /* completions with bytes */
    uint64_t reads_seen, largest_upload;
    uint64_t frame;
    uint64_t hash; /* over all outputs so far */
    /* the script; zero is a perfect loader that answers in the next frame, and a GPU one frame behind */
    uint32_t latency; /* frames, at most */
    uint32_t fail_percent, short_percent, twice_percent;
    uint32_t lag;         /* submissions the GPU may be behind */
    bool always_behind;   /* it is behind by all of them, always */
    bool stalled;         /* nothing completes */
    bool serves_in_order; /* else the order of completions within a frame is random */
    bool early_copies;    /* a transfer queue: copies run at once, draws late; else all of a submission runs late */
    const trn_ring_write *last_writes; /* of the update before: still valid, with all they point to */
    uint32_t last_write_count;
} world_rig;

/* ---- models ---- */

static inline void rig_load_model(rig_model *model, uint32_t n, uint32_t seed) {
    model->file = noise_sphere_cook(n, seed);
    if (trn_model_open(model->file.bytes, (size_t)model->file.size, model->file.size, "rig", NULL, &model->tables,
                       NULL) != TRN_OK)
        abort();
    trn_model_get_info(model->tables, &model->info);
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++)
        model->pages[arena] = calloc(model->info.page_count, sizeof(void *));
    for (uint32_t p = 0; p < model->info.page_count; p++) {
        trn_model_page page;
        trn_model_get_page(model->tables, p, &page);
        model->pages[0][p] = malloc((size_t)page.vertex_count * TRN_VERTEX_BYTES);
        model->pages[1][p] = malloc((size_t)page.cluster_count * TRN_CLUSTER_BYTES);
        for (uint32_t c = 0; c < page.chunk_count; c++) {
            trn_model_chunk chunk;
            trn_model_get_chunk(model->tables, page.first_chunk + c, &chunk);
            if (chunk.kind == TRN_CHUNK_GROUPS) continue;
            size_t unit = chunk.kind == TRN_CHUNK_VERTICES ? TRN_VERTEX_BYTES : TRN_CLUSTER_BYTES;
            trn_chunk_place(&chunk, (char *)model->file.bytes + chunk.offset, 0, chunk.count,
                            model->pages[chunk.kind][p] + chunk.first * unit);
        }
    }
}

static inline void rig_unload_model(rig_model *model) {
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++) {
        for (uint32_t p = 0; p < model->info.page_count; p++) free(model->pages[arena][p]);
        free(model->pages[arena]);
    }
    trn_model_close(model->tables);
    trn_cooked_free(&model->file);
}

/* ---- making and ending ---- */

static inline trn_result rig_start_world(world_rig *rig) {
    rig->def.allocator = fault_hook(&rig->memory);
    rig->def.inbox = rig->inbox;
    rig->def.auto_confirm = true;
    trn_result result = trn_world_create(&rig->def, &rig->world);
    if (result != TRN_OK) return result;
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++)
        rig->arena[arena] = calloc(1, (size_t)trn_world_arena_bytes(rig->world, (trn_arena)arena));
    return TRN_OK;
}

static inline trn_result rig_add_models(world_rig *rig) {
    for (uint32_t m = 0; m < rig->model_count; m++) {
        trn_model_def def = {.model = rig->models[m].tables, .file = m};
        trn_result result = trn_world_add_model(rig->world, &def, &rig->models[m].id);
        if (result != TRN_OK) return result;
        rig->models[m].first_page = RIG_UNKNOWN;
    }
    return TRN_OK;
}

/* `def` may be changed before rig_start_world; models of about 12 n^2 triangles, n = 8, 16, 24, 32. */
static inline void rig_make(world_rig *rig, uint64_t seed, uint32_t model_count) {
    memset(rig, 0, sizeof *rig);
    rig->random = seed;
    rig->model_count = model_count;
    trn_inbox_def inbox = {.capacity = RIG_READS};
    assert_int_equal(trn_inbox_create(&inbox, &rig->inbox), TRN_OK);
    for (uint32_t m = 0; m < model_count; m++) rig_load_model(&rig->models[m], 8 + 8 * m, m + 1);
}

static inline void rig_end_world(world_rig *rig) {
    trn_world_destroy(rig->world);
    rig->world = NULL;
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++) {
        free(rig->arena[arena]);
        rig->arena[arena] = NULL;
    }
    for (uint32_t i = 0; i < rig->queue_count; i++) free(rig->queue[i].entries), free(rig->queue[i].copies);
    rig->queue_count = rig->last_write_count = 0;
    rig->submit = rig->executed = 0;
}

static inline void rig_release(void *user, const void *data, size_t bytes) {
    world_rig *rig = user;
    (void)bytes;
    rig->released++;
    free((void *)(uintptr_t)data);
}

static inline void rig_complete(world_rig *rig, const trn_read *read) {
    trn_completion completion = {.number = read->number, .result = TRN_OK, .release = rig_release, .release_user = rig};
    if (random_below(&rig->random, 100) < rig->fail_percent) {
        completion.result = TRN_ERROR_IO;
        completion.release = NULL;
    } else {
        unsigned char *bytes = malloc(read->bytes ? read->bytes : 1);
        if (read->kind == TRN_READ_CHUNK)
            memcpy(bytes, (char *)rig->models[read->file].file.bytes + read->offset, read->bytes);
        else
            memset(bytes, 7, read->bytes);
        completion.data = bytes;
        completion.bytes = read->bytes;
        if (random_below(&rig->random, 100) < rig->short_percent) completion.bytes--;
        rig->lent++;
    }
    trn_inbox_complete(rig->inbox, &completion);
    if (completion.result == TRN_OK && random_below(&rig->random, 100) < rig->twice_percent) {
        completion.data = malloc(read->bytes ? read->bytes : 1);
        rig->lent++;
        assert_int_equal(trn_inbox_complete(rig->inbox, &completion), TRN_ERROR_STALE_ID);
    }
}

/* Answers all that is still open, long after everything is gone. */
static inline void rig_destroy(world_rig *rig) {
    if (rig->world) rig_end_world(rig);
    for (uint32_t i = 0; i < RIG_READS; i++)
        if (rig->reads[i].used) rig_complete(rig, &rig->reads[i].read);
    trn_inbox_destroy(rig->inbox);
    for (uint32_t m = 0; m < rig->model_count; m++) rig_unload_model(&rig->models[m]);
    assert_true(rig->lent == rig->released);
    assert_true(rig->memory.live_count == 0);
    assert_true(rig->memory.wrong_frees == 0);
}

/* ---- the GPU ---- */

static inline const rig_model *rig_model_of(const world_rig *rig, const uint32_t *first_page, uint32_t entry,
                                            uint32_t *page) {
    for (uint32_t m = 0; m < rig->model_count; m++) {
        *page = entry - first_page[m];
        if (first_page[m] != RIG_UNKNOWN && entry >= first_page[m] && *page < rig->models[m].info.page_count)
            return &rig->models[m];
    }
    return NULL;
}

static inline void rig_check_content(const world_rig *rig, const rig_submission *submission) {
    for (uint32_t i = 0; i < submission->entry_count; i++) {
        const trn_page_entry *entry = &submission->entries[i];
        if (entry->state != TRN_PAGE_RESIDENT) continue;
        uint32_t p;
        const rig_model *model = rig_model_of(rig, submission->first_page, i, &p);
        if (!model) continue;
        trn_model_page page;
        trn_model_get_page(model->tables, p, &page);
        assert_int_equal(entry->cluster_count, page.cluster_count);
        const unsigned char *vertices = rig->arena[0] + (size_t)entry->vertex_base * TRN_VERTEX_BYTES;
        const unsigned char *clusters = rig->arena[1] + (size_t)entry->cluster_base * TRN_CLUSTER_BYTES;
        assert_memory_equal(vertices, model->pages[0][p], (size_t)page.vertex_count * TRN_VERTEX_BYTES);
        assert_memory_equal(clusters, model->pages[1][p], (size_t)page.cluster_count * TRN_CLUSTER_BYTES);
        for (uint32_t d = 0; d < page.dependency_count; d++) {
            uint32_t on;
            trn_model_get_dependency(model->tables, page.first_dependency + d, &on);
            assert_int_equal(submission->entries[i - p + on].state, TRN_PAGE_RESIDENT);
        }
    }
}

static inline void rig_run_copies(world_rig *rig, const rig_submission *submission) {
    for (uint32_t i = 0; i < submission->copy_count; i++) {
        const trn_copy *copy = &submission->copies[i];
        memcpy(rig->arena[copy->arena] + copy->to, copy->from, (size_t)copy->bytes);
    }
}

static inline void rig_execute_first(world_rig *rig) {
    rig_submission submission = rig->queue[0];
    memmove(&rig->queue[0], &rig->queue[1], --rig->queue_count * sizeof rig->queue[0]);
    rig_check_content(rig, &submission);
    if (!rig->early_copies) rig_run_copies(rig, &submission);
    rig_check_content(rig, &submission);
    rig->executed = submission.number;
    free(submission.entries);
    free(submission.copies);
}

/* ---- the frame ---- */

static inline void rig_serve_reads(world_rig *rig) {
    const trn_read *reads;
    uint32_t count = trn_world_reads(rig->world, &reads);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = 0;
        while (rig->reads[place].used) assert_true(++place < RIG_READS);
        uint32_t wait = rig->latency ? random_below(&rig->random, rig->latency + 1) : 0;
        rig->reads[place] = (rig_pending_read){reads[i], rig->frame + wait, true};
        rig->reads_seen++;
    }
}

static inline void rig_complete_due(world_rig *rig) {
    uint32_t start = rig->serves_in_order ? 0 : random_below(&rig->random, RIG_READS);
    for (uint32_t k = 0; k < RIG_READS && !rig->stalled; k++) {
        rig_pending_read *pending = &rig->reads[(start + k) % RIG_READS];
        if (!pending->used || pending->due > rig->frame) continue;
        pending->used = false;
        rig_complete(rig, &pending->read);
    }
}

static inline void rig_hash(world_rig *rig, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) rig->hash = (rig->hash ^ b[i]) * 0x100000001b3u;
}

/* What a world decided, without addresses and read numbers. */
static inline void rig_hash_outputs(world_rig *rig) {
    const trn_event *events;
    const trn_read *reads;
    const trn_copy *copies;
    const trn_draw *draws;
    const trn_page_entry *entries;
    const trn_residency_change *changes;
    uint32_t first, changed, count;
    for (uint32_t i = 0, n = trn_world_events(rig->world, &events); i < n; i++) {
        uint32_t fields[] = {events[i].type, events[i].region.index1, events[i].from, events[i].to, events[i].end};
        rig_hash(rig, fields, sizeof fields);
    }
    for (uint32_t i = 0, n = trn_world_reads(rig->world, &reads); i < n; i++) {
        uint64_t fields[] = {reads[i].offset, reads[i].bytes, reads[i].file, reads[i].kind, reads[i].tries};
        rig_hash(rig, fields, sizeof fields);
    }
    for (uint32_t i = 0, n = trn_world_copies(rig->world, &copies); i < n; i++) {
        uint64_t fields[] = {copies[i].ring_offset, copies[i].to, copies[i].bytes, copies[i].arena};
        rig_hash(rig, fields, sizeof fields);
    }
    for (uint32_t i = 0, n = trn_world_residency_changes(rig->world, &changes); i < n; i++) {
        uint32_t fields[] = {changes[i].model.index1, changes[i].page, changes[i].level, changes[i].resident};
        rig_hash(rig, fields, sizeof fields);
    }
    count = trn_world_draws(rig->world, 0, &draws);
    rig_hash(rig, draws, count * sizeof *draws);
    count = trn_world_page_table(rig->world, &entries, &first, &changed);
    rig_hash(rig, entries, count * sizeof *entries);
}

/* Draws tell where the pages of a model lie. */
static inline void rig_find_pages(world_rig *rig, uint32_t view_count) {
    const trn_draw *draws;
    for (uint32_t i = 0, n = view_count ? trn_world_draws(rig->world, 0, &draws) : 0; i < n; i++)
        for (uint32_t m = 0; m < rig->model_count; m++)
            if (rig->models[m].id.index1 == draws[i].model) rig->models[m].first_page = draws[i].first_page;
}

static inline void rig_check_models(world_rig *rig, const trn_page_entry *entries) {
    for (uint32_t m = 0; m < rig->model_count; m++) {
        const rig_model *model = &rig->models[m];
        trn_model_status status;
        trn_model_level coarsest;
        assert_int_equal(trn_model_get_status(rig->world, model->id, &status), TRN_OK);
        trn_model_get_level(model->tables, model->info.level_count - 1, &coarsest);
        if (model->first_page == RIG_UNKNOWN || !status.ready) continue;
        for (uint32_t p = 0; p < coarsest.page_count; p++)
            assert_int_equal(entries[model->first_page + p].state, TRN_PAGE_RESIDENT);
    }
}

/* One update and all that a host does after it. */
static inline trn_result rig_frame(world_rig *rig, const trn_source *sources, uint32_t source_count,
                                   const trn_view *views, uint32_t view_count) {
    rig_complete_due(rig);
    trn_frame frame = {.sources = sources,
                       .source_count = source_count,
                       .views = views,
                       .view_count = view_count,
                       .submit = rig->submit + 1,
                       .retired = rig->executed ? rig->executed : TRN_RETIRED_NONE};
    trn_result result = trn_world_update(rig->world, &frame);
    if (result != TRN_OK) return result;
    rig->submit++;
    rig->frame++;
    rig_serve_reads(rig);
    for (uint32_t i = 0; i < rig->last_write_count; i++) {
        trn_ring_write again = rig->last_writes[i];
        again.to = malloc(again.bytes);
        trn_ring_write_run(&again);
        free(again.to);
    }
    rig->last_write_count = trn_world_ring_writes(rig->world, &rig->last_writes);
    for (uint32_t i = 0; i < rig->last_write_count; i++) trn_ring_write_run(&rig->last_writes[i]);

    const trn_copy *copies;
    const trn_page_entry *entries;
    uint32_t first, changed;
    rig_submission *submission = &rig->queue[rig->queue_count++];
    submission->number = rig->submit;
    submission->copy_count = trn_world_copies(rig->world, &copies);
    submission->copies = malloc((submission->copy_count + 1) * sizeof *copies);
    if (submission->copy_count) memcpy(submission->copies, copies, submission->copy_count * sizeof *copies);
    submission->entry_count = trn_world_page_table(rig->world, &entries, &first, &changed);
    submission->entries = malloc((submission->entry_count + 1) * sizeof *entries);
    if (submission->entry_count) memcpy(submission->entries, entries, submission->entry_count * sizeof *entries);
    rig_find_pages(rig, view_count);
    for (uint32_t m = 0; m < rig->model_count; m++) submission->first_page[m] = rig->models[m].first_page;
    uint64_t uploaded = 0;
    for (uint32_t i = 0; i < submission->copy_count; i++) {
        uploaded += copies[i].bytes;
        assert_true(copies[i].to + copies[i].bytes <= trn_world_arena_bytes(rig->world, copies[i].arena));
    }
    if (uploaded > rig->largest_upload) rig->largest_upload = uploaded;
    assert_true(uploaded <= (rig->def.upload_bytes ? rig->def.upload_bytes : 10u << 20));
    rig_check_models(rig, entries);
    rig_hash_outputs(rig);
    if (rig->early_copies) rig_run_copies(rig, submission);
    uint32_t lag = rig->always_behind ? rig->lag : rig->lag ? random_below(&rig->random, rig->lag + 1) : 1;
    while (rig->queue_count > lag) rig_execute_first(rig);
    return TRN_OK;
}

#endif
