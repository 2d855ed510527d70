/* SPDX-License-Identifier: MIT */
/* The second half of an update: what goes, what comes, what is read and copied, and how hard all this presses. */
#include "base/sort.h"
#include "stream_internal.h"

#include <string.h>

/* ---- order ---- */

static uint32_t page_of_rank(uint64_t rank) { return (uint32_t)(rank & 0x7fffffffu); }
static bool is_kept(const trni_stream *stream, const trni_stream_page *page) {
    return trni_page_wanted(stream, page) || page->kept == stream->update;
}
static uint32_t sort_list(trni_stream *stream, const trni_page_list *list, bool by_rank) {
    for (uint32_t i = 0; i < list->count; i++)
        stream->order[i] = by_rank ? trni_page_rank(stream, list->pages[i]) : list->pages[i];
    trni_sort_u64(stream->order, list->count);
    return list->count;
}

/* ---- going ---- */

/* Loads nobody wants or keeps any more are given up; finer pages first, since what others depend on stays. */
static void cancel_unwanted(trni_stream *stream, trni_stream_outputs *outputs) {
    for (uint32_t i = sort_list(stream, &stream->loading, false); i-- > 0;) {
        uint32_t index = (uint32_t)stream->order[i];
        const trni_stream_page *page = &stream->pages[index];
        if (!is_kept(stream, page) && page->dependents == 0)
            trni_stream_drop(stream, index, stream->submit - 1, outputs);
    }
}

static void evict_idle(trni_stream *stream, trni_stream_outputs *outputs) {
    for (uint32_t i = sort_list(stream, &stream->ready, false); i-- > 0;) {
        uint32_t index = (uint32_t)stream->order[i];
        const trni_stream_page *page = &stream->pages[index];
        if (!is_kept(stream, page) && page->dependents == 0 && trni_page_old_enough(stream, page)) {
            trni_stream_drop(stream, index, stream->submit - 1, outputs);
            stream->evictions++;
        }
    }
}

/* ---- coming ---- */

static bool dependencies_held(const trni_stream *stream, const trni_stream_page *page) {
    const trni_stream_resource *resource = &stream->resources[page->resource];
    for (uint32_t d = 0; d < page->dependency_count; d++) {
        uint32_t on = resource->first_page + resource->dependencies[page->first_dependency + d];
        if (!trni_page_is_held(&stream->pages[on])) return false;
    }
    return true;
}

static bool reserve_ranges(trni_stream *stream, uint32_t index) {
    trni_stream_page *page = &stream->pages[index];
    for (int arena = 0; arena < TRN_ARENA_COUNT; arena++) {
        page->range[arena] = TRNI_RANGE_NONE;
        if (page->units[arena] == 0) continue;
        page->range[arena] = trni_ranges_lend(&stream->ranges[arena], page->units[arena], index);
        if (page->range[arena] != TRNI_RANGE_NONE) continue;
        if (arena > 0 && page->range[0] != TRNI_RANGE_NONE) trni_ranges_return(&stream->ranges[0], page->range[0]);
        page->range[0] = TRNI_RANGE_NONE;
        return false;
    }
    return true;
}

static uint32_t collect_candidates(trni_stream *stream) {
    uint32_t count = 0;
    for (uint32_t r = 0; r < stream->resource_capacity; r++) {
        const trni_stream_resource *resource = &stream->resources[r];
        if (!resource->used || resource->pages_ready == resource->page_count) continue;
        bool demanded = resource->demanded == stream->update;
        uint32_t end = demanded ? resource->page_count : resource->root_count;
        for (uint32_t p = 0; p < end; p++) {
            uint32_t index = resource->first_page + p;
            const trni_stream_page *page = &stream->pages[index];
            if (page->state == TRNI_PAGE_ABSENT && !page->failed && trni_page_wanted(stream, page))
                stream->order[count++] = trni_page_rank(stream, index);
        }
    }
    trni_sort_u64(stream->order, count);
    return count;
}

static void refuse_for_memory(trni_stream *stream, const trni_stream_page *page) {
    trni_stream_resource *resource = &stream->resources[page->resource];
    stream->refused++;
    if (!page->root || resource->not_drawn_memory) return;
    resource->not_drawn_memory = true;
    trni_log(&stream->def.log, TRN_LOG_MODEL_NOT_DRAWN_MEMORY,
             "model %u is not drawn: no memory for its coarsest level", resource->model.index1);
}

/* Admits pages in rank order, no further than reads can follow. */
static void admit(trni_stream *stream, trni_stream_outputs *outputs) {
    uint32_t planned = 0;
    for (uint32_t i = 0; i < stream->loading.count; i++) {
        const trni_stream_page *page = &stream->pages[stream->loading.pages[i]];
        planned += page->chunk_count - page->chunks_placed;
    }
    uint32_t count = collect_candidates(stream);
    for (uint32_t i = 0; i < count && planned < stream->def.reads; i++) {
        uint32_t index = page_of_rank(stream->order[i]);
        trni_stream_page *page = &stream->pages[index];
        if (!dependencies_held(stream, page)) continue;
        if (!reserve_ranges(stream, index)) {
            refuse_for_memory(stream, page);
            if (trni_stream_make_room(stream, index, outputs)) break; /* what comes free is this page's */
            continue;
        }
        if (page->root) stream->resources[page->resource].not_drawn_memory = false;
        trni_stream_hold(stream, index);
        planned += page->chunk_count;
    }
}

/* ---- reading ---- */

static bool ask_for_chunk(trni_stream *stream, uint32_t index, uint32_t chunk_index, trni_stream_outputs *outputs) {
    const trni_stream_resource *resource = &stream->resources[stream->pages[index].resource];
    trni_stream_chunk *chunk = &resource->chunks[chunk_index];
    uint64_t bytes = chunk->info.decoded_bytes;
    bool fits = stream->in_flight < stream->def.reads && outputs->read_count < outputs->read_capacity &&
                (stream->in_flight == 0 || stream->in_flight_bytes + bytes <= stream->def.read_bytes);
    uint64_t number = fits ? trni_inbox_open(stream->def.inbox) : 0;
    if (number == 0) return false;
    chunk->state = TRNI_CHUNK_READING;
    chunk->number = number;
    stream->open[stream->open_count++] = (trni_open_read){number, index, chunk_index};
    stream->open_bytes += bytes;
    stream->in_flight++;
    stream->in_flight_bytes += bytes;
    outputs->reads[outputs->read_count++] = (trn_read){.number = number,
                                                       .offset = chunk->info.offset,
                                                       .bytes = chunk->info.stored_bytes,
                                                       .file = resource->file,
                                                       .kind = TRN_READ_CHUNK,
                                                       .model = resource->model,
                                                       .chunk = chunk->info,
                                                       .page_count = resource->page_count,
                                                       .tries = chunk->tries};
    return true;
}

static void ask_for_reads(trni_stream *stream, trni_stream_outputs *outputs) {
    uint32_t count = sort_list(stream, &stream->loading, true);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = page_of_rank(stream->order[i]);
        const trni_stream_page *page = &stream->pages[index];
        for (uint32_t c = 0; c < page->chunk_count; c++) {
            uint32_t chunk = page->first_chunk + c;
            if (stream->resources[page->resource].chunks[chunk].state != TRNI_CHUNK_ABSENT) continue;
            if (!ask_for_chunk(stream, index, chunk, outputs)) return;
        }
    }
}

/* ---- copying ---- */

typedef struct copy_room {
    uint64_t budget; /* bytes left of this update's uploads */
    uint64_t slice;  /* bytes left of this submission's slice of the ring */
    uint64_t at;     /* next byte of the ring */
} copy_room;

static copy_room room_to_copy(trni_stream *stream) {
    copy_room room = {stream->def.upload_bytes, UINT64_MAX, 0};
    if (stream->def.mapped[0]) return room;
    uint64_t slice = stream->submit % stream->def.ring_slices;
    room.at = slice * stream->slice_bytes;
    room.slice = stream->slice_used_by[slice] <= stream->retired ? stream->slice_bytes : 0;
    return room;
}

/* Places as much of an arrived chunk as there is room for. False: something of it is left. */
static bool copy_chunk(trni_stream *stream, trni_stream_page *page, trni_stream_chunk *chunk, copy_room *room,
                       trni_stream_outputs *outputs) {
    trn_arena arena = chunk->info.kind == TRN_CHUNK_VERTICES ? TRN_ARENA_VERTICES : TRN_ARENA_CLUSTERS;
    uint32_t unit = arena == TRN_ARENA_VERTICES ? TRN_VERTEX_BYTES : TRN_CLUSTER_BYTES;
    uint64_t space = (room->budget < room->slice ? room->budget : room->slice) / unit;
    uint32_t left = chunk->info.count - chunk->placed, count = space < left ? (uint32_t)space : left;
    if (count > 0) {
        uint64_t bytes = (uint64_t)count * unit;
        uint64_t to = ((uint64_t)trni_range_offset(&stream->ranges[arena], page->range[arena]) + chunk->info.first +
                       chunk->placed) *
                      unit;
        unsigned char *at =
            stream->def.mapped[0] ? (unsigned char *)stream->def.mapped[arena] + to : stream->ring + room->at;
        uint32_t place = outputs->write_count++;
        outputs->write_chunks[place] = chunk->info;
        outputs->writes[place] = (trn_ring_write){.to = at,
                                                  .bytes = (size_t)bytes,
                                                  .chunk = &outputs->write_chunks[place],
                                                  .decoded = chunk->arrived.data,
                                                  .first = chunk->placed,
                                                  .count = count};
        if (!stream->def.mapped[0]) {
            outputs->copies[outputs->copy_count++] =
                (trn_copy){.from = at, .ring_offset = room->at, .to = to, .bytes = bytes, .arena = arena};
            stream->slice_used_by[stream->submit % stream->def.ring_slices] = stream->submit;
            room->slice -= bytes;
            room->at += bytes;
        }
        room->budget -= bytes;
        stream->upload_bytes += bytes;
        chunk->placed += count;
        page->last_copy = stream->submit;
    }
    if (chunk->placed < chunk->info.count) return false;
    chunk->state = TRNI_CHUNK_PLACED;
    chunk->tries = 0;
    page->chunks_placed++;
    stream->in_flight--;
    stream->in_flight_bytes -= chunk->info.decoded_bytes;
    trni_stream_lend(stream, &chunk->arrived);
    return true;
}

static void copy_arrived(trni_stream *stream, trni_stream_outputs *outputs) {
    copy_room room = room_to_copy(stream);
    uint32_t count = sort_list(stream, &stream->loading, true);
    for (uint32_t i = 0; i < count; i++) {
        trni_stream_page *page = &stream->pages[page_of_rank(stream->order[i])];
        for (uint32_t c = 0; c < page->chunk_count; c++) {
            trni_stream_chunk *chunk = &stream->resources[page->resource].chunks[page->first_chunk + c];
            if (chunk->state != TRNI_CHUNK_ARRIVED || copy_chunk(stream, page, chunk, &room, outputs)) continue;
            stream->refused++;
            return;
        }
    }
}

/* ---- pressure ---- */

static void change_bias(trni_stream *stream) {
    bool refused = stream->refused > 0;
    stream->pressed = refused ? stream->pressed + 1 : 0;
    stream->calm = refused ? 0 : stream->calm + 1;
    uint32_t bias = stream->bias;
    if (stream->pressed >= stream->def.pressure_updates && bias < stream->def.bias_max) bias++;
    if (stream->calm >= stream->def.pressure_updates && bias > 0) bias--;
    if (bias == stream->bias) return;
    stream->bias = bias;
    stream->pressed = stream->calm = 0;
    trni_log(&stream->def.log, TRN_LOG_BIAS_CHANGED, "everything asks for %u levels coarser than it needs", bias);
}

static void report_cancels(trni_stream *stream, trni_stream_outputs *outputs) {
    for (uint32_t i = 0; i < stream->cancelled_count && outputs->cancel_count < outputs->cancel_capacity; i++)
        outputs->cancels[outputs->cancel_count++] = stream->cancelled[i];
    stream->cancelled_count = 0;
}

void trni_stream_step(trni_stream *stream, trni_stream_outputs *outputs) {
    stream->upload_bytes = 0;
    stream->evictions = stream->refused = 0;
    trni_stream_retire(stream);
    cancel_unwanted(stream, outputs);
    evict_idle(stream, outputs);
    admit(stream, outputs);
    copy_arrived(stream, outputs);
    ask_for_reads(stream, outputs);
    report_cancels(stream, outputs);
    change_bias(stream);
}
