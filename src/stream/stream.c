/* SPDX-License-Identifier: MIT */
/* The streamer's tables: resources, pages and their states. Each change of a page's state is made here, so that lists,
 * counts, ranges and the page table cannot disagree. */
#include "stream_internal.h"

#include <string.h>

static const uint32_t unit_bytes[TRN_ARENA_COUNT] = {TRN_VERTEX_BYTES, TRN_CLUSTER_BYTES};

uint64_t trni_page_bytes(const trni_stream_page *page) {
    return (uint64_t)page->units[0] * unit_bytes[0] + (uint64_t)page->units[1] * unit_bytes[1];
}

/* ---- making and freeing ---- */

trn_result trni_stream_init(trni_stream *stream, const trni_stream_def *def) {
    memset(stream, 0, sizeof *stream);
    stream->def = *def;
    stream->slice_bytes = def->ring_bytes / def->ring_slices / 16 * 16;
    stream->open = TRNI_NEW_ARRAY(&def->allocator, trni_open_read, def->reads);
    stream->cancelled = TRNI_NEW_ARRAY(&def->allocator, uint64_t, def->reads);
    stream->lent = TRNI_NEW_ARRAY(&def->allocator, trni_lent_bytes, (size_t)def->reads * 4);
    bool ranges_made = true;
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++)
        ranges_made = trni_ranges_init(&stream->ranges[arena], &def->allocator, def->units[arena], 0) && ranges_made;
    stream->ring = def->ring_memory;
    if (!def->ring_memory && !def->mapped[0]) {
        stream->own_ring = true;
        stream->ring = trni_alloc(&def->allocator, (size_t)def->ring_bytes, 1);
    }
    bool ring_made = stream->ring || def->mapped[0];
    if (stream->open && stream->cancelled && stream->lent && ranges_made && ring_made) return TRN_OK;
    trni_stream_free(stream);
    return TRN_ERROR_OUT_OF_MEMORY;
}

static void free_resource_memory(trni_stream *stream, trni_stream_resource *resource) {
    const trn_allocator *allocator = &stream->def.allocator;
    trni_free(allocator, resource->chunks, resource->chunk_count, sizeof *resource->chunks);
    trni_free(allocator, resource->dependencies, resource->dependency_count, sizeof *resource->dependencies);
    memset(resource, 0, sizeof *resource);
}

void trni_stream_free(trni_stream *stream) {
    const trn_allocator allocator = stream->def.allocator;
    for (uint32_t i = 0; i < stream->open_count; i++) trni_inbox_abandon(stream->def.inbox, stream->open[i].number);
    for (uint32_t i = 0; i < stream->lent_count; i++) trni_completion_release(&stream->lent[i].completion);
    for (uint32_t r = 0; r < stream->resource_capacity; r++) {
        trni_stream_resource *resource = &stream->resources[r];
        for (uint32_t c = 0; c < resource->chunk_count; c++)
            if (resource->chunks[c].state == TRNI_CHUNK_ARRIVED) trni_completion_release(&resource->chunks[c].arrived);
        free_resource_memory(stream, resource);
    }
    trni_free(&allocator, stream->resources, stream->resource_capacity, sizeof *stream->resources);
    trni_free(&allocator, stream->pages, stream->page_capacity, sizeof *stream->pages);
    trni_free(&allocator, stream->entries, stream->page_capacity, sizeof *stream->entries);
    trni_free(&allocator, stream->loading.pages, stream->page_capacity, sizeof(uint32_t));
    trni_free(&allocator, stream->ready.pages, stream->page_capacity, sizeof(uint32_t));
    trni_free(&allocator, stream->retiring.pages, stream->page_capacity, sizeof(uint32_t));
    trni_free(&allocator, stream->order, stream->page_capacity, sizeof *stream->order);
    trni_free(&allocator, stream->open, stream->def.reads, sizeof *stream->open);
    trni_free(&allocator, stream->cancelled, stream->def.reads, sizeof *stream->cancelled);
    trni_free(&allocator, stream->lent, (size_t)stream->def.reads * 4, sizeof *stream->lent);
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++) trni_ranges_free(&stream->ranges[arena], &allocator);
    if (stream->own_ring) trni_free(&allocator, stream->ring, (size_t)stream->def.ring_bytes, 1);
    memset(stream, 0, sizeof *stream);
}

/* ---- resources ---- */

/* All arrays that have one element a page grow together, or none does. */
static bool grow_pages(trni_stream *stream, uint32_t wanted) {
    if (wanted <= stream->page_capacity) return true;
    if (wanted >= 1u << 31) return false;
    const trn_allocator *allocator = &stream->def.allocator;
    uint32_t capacity = stream->page_capacity * 2 > wanted ? stream->page_capacity * 2 : wanted;
    void **arrays[] = {(void **)&stream->pages,       (void **)&stream->entries,        (void **)&stream->loading.pages,
                       (void **)&stream->ready.pages, (void **)&stream->retiring.pages, (void **)&stream->order};
    const size_t sizes[] = {sizeof *stream->pages, sizeof *stream->entries, sizeof(uint32_t),
                            sizeof(uint32_t),      sizeof(uint32_t),        sizeof *stream->order};
    enum { ARRAYS = sizeof sizes / sizeof sizes[0] };
    void *moved[ARRAYS] = {0};
    bool made = true;
    for (int i = 0; i < ARRAYS; i++) made = (moved[i] = trni_alloc_zero(allocator, capacity, sizes[i])) != NULL && made;
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++)
        made = made && trni_ranges_reserve(&stream->ranges[arena], allocator, capacity);
    for (int i = 0; i < ARRAYS; i++) {
        if (made) {
            if (stream->page_capacity > 0) memcpy(moved[i], *arrays[i], stream->page_capacity * sizes[i]);
            trni_free(allocator, *arrays[i], stream->page_capacity, sizes[i]);
            *arrays[i] = moved[i];
        } else {
            trni_free(allocator, moved[i], capacity, sizes[i]);
        }
    }
    if (made) stream->page_capacity = capacity;
    return made;
}

static bool place_is_free(const trni_stream_page *page) {
    return page->resource == TRNI_NO_RESOURCE && page->state == TRNI_PAGE_ABSENT;
}

/* First of `count` free places side by side; page_end when only new ones will do. */
static uint32_t find_places(const trni_stream *stream, uint32_t count) {
    uint32_t run = 0;
    for (uint32_t i = 0; i < stream->page_end; i++) {
        run = place_is_free(&stream->pages[i]) ? run + 1 : 0;
        if (run == count) return i + 1 - count;
    }
    return stream->page_end;
}

static bool find_resource(trni_stream *stream, uint32_t *place) {
    for (*place = 0; *place < stream->resource_capacity; ++*place)
        if (!stream->resources[*place].used) return true;
    void *resources = stream->resources;
    if (!trni_grow(&stream->def.allocator, &resources, &stream->resource_capacity, *place + 1,
                   sizeof *stream->resources))
        return false;
    stream->resources = resources;
    return true;
}

static uint32_t count_placed_chunks(const trn_model *model, uint32_t chunk_count) {
    uint32_t placed = 0;
    for (uint32_t c = 0; c < chunk_count; c++) {
        trn_model_chunk chunk;
        trn_model_get_chunk(model, c, &chunk);
        placed += chunk.kind != TRN_CHUNK_GROUPS;
    }
    return placed;
}

trn_result trni_stream_add(trni_stream *stream, const trni_stream_resource_def *def, uint32_t *place) {
    const trn_allocator *allocator = &stream->def.allocator;
    trn_model_info info;
    trn_model_get_info(def->model, &info);
    for (uint32_t p = 0; p < info.page_count; p++) {
        trn_model_page page;
        trn_model_get_page(def->model, p, &page);
        if (page.vertex_count > stream->def.units[TRN_ARENA_VERTICES] ||
            page.cluster_count > stream->def.units[TRN_ARENA_CLUSTERS])
            return TRN_ERROR_ARGUMENT;
    }
    trni_stream_resource made = {.used = true, .page_count = info.page_count, .file = def->file, .model = def->id};
    made.first_page = find_places(stream, info.page_count);
    made.chunk_count = count_placed_chunks(def->model, info.chunk_count);
    made.dependency_count = info.dependency_count;
    made.chunks = TRNI_NEW_ARRAY(allocator, trni_stream_chunk, made.chunk_count);
    made.dependencies = TRNI_NEW_ARRAY(allocator, uint32_t, made.dependency_count);
    uint32_t first = made.first_page, end = first + info.page_count;
    if (!made.chunks || !made.dependencies || !find_resource(stream, place) ||
        (end > stream->page_end && !grow_pages(stream, end))) {
        free_resource_memory(stream, &made);
        return TRN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t d = 0; d < info.dependency_count; d++) trn_model_get_dependency(def->model, d, &made.dependencies[d]);
    uint32_t chunk_end = 0;
    for (uint32_t p = 0; p < info.page_count; p++) {
        trn_model_page from;
        trn_model_get_page(def->model, p, &from);
        trni_stream_page *page = &stream->pages[first + p];
        *page = (trni_stream_page){.resource = *place,
                                   .first_dependency = from.first_dependency,
                                   .dependency_count = from.dependency_count,
                                   .first_chunk = chunk_end,
                                   .units = {from.vertex_count, from.cluster_count},
                                   .range = {TRNI_RANGE_NONE, TRNI_RANGE_NONE},
                                   .root = from.level + 1 == info.level_count};
        made.root_count += page->root;
        for (uint32_t c = 0; c < from.chunk_count; c++) {
            trn_model_chunk chunk;
            trn_model_get_chunk(def->model, from.first_chunk + c, &chunk);
            if (chunk.kind != TRN_CHUNK_GROUPS) made.chunks[chunk_end++].info = chunk;
        }
        page->chunk_count = chunk_end - page->first_chunk;
    }
    stream->resources[*place] = made;
    if (end > stream->page_end) stream->page_end = end;
    stream->pages_used += info.page_count;
    return TRN_OK;
}

void trni_stream_remove(trni_stream *stream, uint32_t place) {
    trni_stream_resource *resource = &stream->resources[place];
    for (uint32_t p = resource->page_count; p-- > 0;) {
        uint32_t index = resource->first_page + p;
        trni_stream_page *page = &stream->pages[index];
        if (trni_page_is_held(page)) trni_stream_drop(stream, index, stream->submit, NULL);
        stream->pages_failed -= page->failed;
        page->failed = false;
        page->resource = TRNI_NO_RESOURCE;
    }
    stream->pages_used -= resource->page_count;
    free_resource_memory(stream, resource);
}

void trni_stream_retry(trni_stream *stream, uint32_t place) {
    trni_stream_resource *resource = &stream->resources[place];
    for (uint32_t p = 0; p < resource->page_count; p++) {
        trni_stream_page *page = &stream->pages[resource->first_page + p];
        stream->pages_failed -= page->failed;
        page->failed = false;
    }
    resource->failed = false;
}

/* ---- states of a page ---- */

static void list_add(trni_stream *stream, trni_page_list *list, uint32_t page) {
    stream->pages[page].list_place = list->count;
    list->pages[list->count++] = page;
}

static void list_remove(trni_stream *stream, trni_page_list *list, uint32_t page) {
    uint32_t place = stream->pages[page].list_place, last = list->pages[--list->count];
    list->pages[place] = last;
    stream->pages[last].list_place = place;
}

static void set_entry(trni_stream *stream, uint32_t index, bool resident) {
    const trni_stream_page *page = &stream->pages[index];
    trn_page_entry *entry = &stream->entries[index];
    *entry = (trn_page_entry){0};
    if (resident) {
        if (page->units[0]) entry->vertex_base = trni_range_offset(&stream->ranges[0], page->range[0]);
        if (page->units[1]) entry->cluster_base = trni_range_offset(&stream->ranges[1], page->range[1]);
        entry->cluster_count = page->units[1];
        entry->state = TRN_PAGE_RESIDENT;
    }
    if (stream->dirty_first == stream->dirty_end) stream->dirty_first = index, stream->dirty_end = index + 1;
    if (index < stream->dirty_first) stream->dirty_first = index;
    if (index + 1 > stream->dirty_end) stream->dirty_end = index + 1;
}

static void report_change(trni_stream *stream, uint32_t index, bool resident, trni_stream_outputs *outputs) {
    const trni_stream_page *page = &stream->pages[index];
    const trni_stream_resource *resource = &stream->resources[page->resource];
    if (!outputs || outputs->change_count >= outputs->change_capacity) return;
    outputs->changes[outputs->change_count++] =
        (trn_residency_change){.model = resource->model,
                               .page = index - resource->first_page,
                               .level = resource->chunks[page->first_chunk].info.level,
                               .resident = resident};
}

static void count_dependents(trni_stream *stream, const trni_stream_page *page, int change) {
    const trni_stream_resource *resource = &stream->resources[page->resource];
    for (uint32_t d = 0; d < page->dependency_count; d++) {
        uint32_t on = resource->first_page + resource->dependencies[page->first_dependency + d];
        stream->pages[on].dependents += (uint32_t)change;
    }
}

void trni_stream_hold(trni_stream *stream, uint32_t index) {
    trni_stream_page *page = &stream->pages[index];
    page->state = TRNI_PAGE_LOADING;
    page->chunks_placed = 0;
    page->last_copy = 0;
    list_add(stream, &stream->loading, index);
    count_dependents(stream, page, 1);
}

void trni_stream_make_ready(trni_stream *stream, uint32_t index, trni_stream_outputs *outputs) {
    trni_stream_page *page = &stream->pages[index];
    trni_stream_resource *resource = &stream->resources[page->resource];
    list_remove(stream, &stream->loading, index);
    list_add(stream, &stream->ready, index);
    page->state = TRNI_PAGE_READY;
    page->ready_since = stream->update;
    resource->pages_ready++;
    resource->roots_ready += page->root;
    resource->ready_bytes += trni_page_bytes(page);
    stream->ready_bytes += trni_page_bytes(page);
    set_entry(stream, index, true);
    report_change(stream, index, true, outputs);
}

void trni_stream_lend(trni_stream *stream, const trn_completion *completion) {
    /* At most def.reads chunks can be given up or finished an update, and each stays for two updates. */
    stream->lent[stream->lent_count++] = (trni_lent_bytes){*completion, stream->update};
}

static void give_up_chunk(trni_stream *stream, uint32_t page, uint32_t index, trni_stream_chunk *chunk) {
    if (chunk->state == TRNI_CHUNK_READING) {
        trni_inbox_abandon(stream->def.inbox, chunk->number);
        for (uint32_t i = 0; i < stream->open_count; i++)
            if (stream->open[i].page == page && stream->open[i].chunk == index) {
                stream->open[i] = stream->open[--stream->open_count];
                break;
            }
        stream->open_bytes -= chunk->info.decoded_bytes;
        stream->cancelled[stream->cancelled_count++] = chunk->number;
    }
    if (chunk->state == TRNI_CHUNK_ARRIVED) trni_stream_lend(stream, &chunk->arrived);
    if (chunk->state == TRNI_CHUNK_READING || chunk->state == TRNI_CHUNK_ARRIVED) {
        stream->in_flight--;
        stream->in_flight_bytes -= chunk->info.decoded_bytes;
    }
    chunk->state = TRNI_CHUNK_ABSENT;
    chunk->placed = 0;
    chunk->tries = 0;
}

static void return_ranges(trni_stream *stream, trni_stream_page *page) {
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++) {
        if (page->range[arena] != TRNI_RANGE_NONE) trni_ranges_return(&stream->ranges[arena], page->range[arena]);
        page->range[arena] = TRNI_RANGE_NONE;
    }
    page->state = TRNI_PAGE_ABSENT;
}

void trni_stream_drop(trni_stream *stream, uint32_t index, uint64_t last_reader, trni_stream_outputs *outputs) {
    trni_stream_page *page = &stream->pages[index];
    trni_stream_resource *resource = &stream->resources[page->resource];
    for (uint32_t c = 0; c < page->chunk_count; c++)
        give_up_chunk(stream, index, page->first_chunk + c, &resource->chunks[page->first_chunk + c]);
    count_dependents(stream, page, -1);
    uint64_t used_until = page->last_copy;
    if (page->state == TRNI_PAGE_READY) {
        list_remove(stream, &stream->ready, index);
        resource->pages_ready--;
        resource->roots_ready -= page->root;
        resource->ready_bytes -= trni_page_bytes(page);
        stream->ready_bytes -= trni_page_bytes(page);
        if (last_reader > used_until) used_until = last_reader;
        set_entry(stream, index, false);
        report_change(stream, index, false, outputs);
    } else {
        list_remove(stream, &stream->loading, index);
    }
    page->last_copy = used_until;
    if (used_until > stream->retired) {
        page->state = TRNI_PAGE_RETIRING;
        list_add(stream, &stream->retiring, index);
    } else {
        return_ranges(stream, page);
    }
}

void trni_stream_retire(trni_stream *stream) {
    for (uint32_t i = stream->retiring.count; i-- > 0;) {
        uint32_t index = stream->retiring.pages[i];
        if (stream->pages[index].last_copy > stream->retired) continue;
        list_remove(stream, &stream->retiring, index);
        return_ranges(stream, &stream->pages[index]);
    }
}

void trni_stream_drop_dependents(trni_stream *stream, uint32_t index, trni_stream_outputs *outputs) {
    const trni_stream_resource *resource = &stream->resources[stream->pages[index].resource];
    uint32_t end = resource->first_page + resource->page_count;
    uint64_t mark = ++stream->marks;
    stream->pages[index].mark = mark;
    for (uint32_t p = index + 1; p < end; p++) { /* what depends on a page comes after it */
        trni_stream_page *page = &stream->pages[p];
        for (uint32_t d = 0; d < page->dependency_count; d++) {
            uint32_t on = resource->first_page + resource->dependencies[page->first_dependency + d];
            if (stream->pages[on].mark == mark) page->mark = mark;
        }
    }
    for (uint32_t p = end; p-- > index + 1;)
        if (stream->pages[p].mark == mark && trni_page_is_held(&stream->pages[p]))
            trni_stream_drop(stream, p, stream->submit - 1, outputs);
}

void trni_stream_fail(trni_stream *stream, uint32_t index, trni_stream_outputs *outputs) {
    trni_stream_page *page = &stream->pages[index];
    trni_stream_drop_dependents(stream, index, outputs);
    trni_stream_drop(stream, index, stream->submit - 1, outputs);
    page->failed = true;
    stream->pages_failed++;
    if (page->root) stream->resources[page->resource].failed = true;
}

void trni_stream_get_stats(const trni_stream *stream, trn_world_stats *stats) {
    stats->pages = stream->pages_used;
    stats->pages_ready = stream->ready.count;
    stats->pages_failed = stream->pages_failed;
    stats->resident_bytes = stream->ready_bytes;
    stats->reserved_bytes = stats->memory_bytes = 0;
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++) {
        const trni_ranges *ranges = &stream->ranges[arena];
        stats->memory_bytes += (uint64_t)ranges->units * unit_bytes[arena];
        stats->reserved_bytes += (uint64_t)(ranges->units - ranges->free_units) * unit_bytes[arena];
    }
    stats->upload_bytes = stream->upload_bytes;
    stats->upload_budget_bytes = stream->def.upload_bytes;
    stats->reads_in_flight = stream->open_count;
    stats->read_bytes_in_flight = stream->open_bytes;
    stats->ring_bytes_waiting = stream->in_flight_bytes - stream->open_bytes;
    stats->evictions = stream->evictions;
    stats->refused = stream->refused;
    stats->bias = stream->bias;
}
