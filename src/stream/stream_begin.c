/* SPDX-License-Identifier: MIT */
/* The first half of an update: what has arrived, and which pages are ready because of it. */
#include "base/sort.h"
#include "stream_internal.h"

/* Bytes lent to the ring writes of an update are released when the update after the next begins. */
static void release_lent(trni_stream *stream) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stream->lent_count; i++) {
        if (stream->lent[i].update + 2 <= stream->update)
            trni_completion_release(&stream->lent[i].completion);
        else
            stream->lent[kept++] = stream->lent[i];
    }
    stream->lent_count = kept;
}

/* A chunk could not be read: it is asked for again, until its tries are used up. */
static void chunk_failed(trni_stream *stream, const trni_open_read *read, trn_result result,
                         trni_stream_outputs *outputs) {
    trni_stream_page *page = &stream->pages[read->page];
    trni_stream_resource *resource = &stream->resources[page->resource];
    trni_stream_chunk *chunk = &resource->chunks[read->chunk];
    chunk->state = TRNI_CHUNK_ABSENT;
    stream->in_flight--;
    stream->in_flight_bytes -= chunk->info.decoded_bytes;
    uint32_t within = read->page - resource->first_page;
    if (++chunk->tries <= stream->def.retries) {
        trni_log(&stream->def.log, TRN_LOG_READ_RETRIED, "model %u page %u: %s; reading it again (%u of %u)",
                 resource->model.index1, within, trn_result_text(result), chunk->tries, stream->def.retries);
        return;
    }
    if (page->root)
        trni_log(&stream->def.log, TRN_LOG_MODEL_FAILED,
                 "model %u: its coarsest level cannot be read (%s): it is not drawn", resource->model.index1,
                 trn_result_text(result));
    else
        trni_log(&stream->def.log, TRN_LOG_PAGE_FAILED,
                 "model %u page %u cannot be read (%s): the coarser level is drawn", resource->model.index1, within,
                 trn_result_text(result));
    trni_stream_fail(stream, read->page, outputs);
}

static void chunk_arrived(trni_stream *stream, const trni_open_read *read, const trn_completion *completion,
                          trni_stream_outputs *outputs) {
    trni_stream_chunk *chunk = &stream->resources[stream->pages[read->page].resource].chunks[read->chunk];
    trn_result result = completion->result;
    if (result == TRN_OK && (!completion->data || completion->bytes < chunk->info.decoded_bytes)) result = TRN_ERROR_IO;
    if (result == TRN_OK) {
        chunk->state = TRNI_CHUNK_ARRIVED;
        chunk->placed = 0;
        chunk->arrived = *completion;
        return;
    }
    trni_completion_release(completion);
    chunk_failed(stream, read, result, outputs);
}

/* Completions in the order of their numbers, so that the order in which threads finished does not matter. A failure may
 * take other reads out of the list, so each step looks for the smallest number that is left. */
static void take_completions(trni_stream *stream, trni_stream_outputs *outputs) {
    uint64_t last = 0;
    for (;;) {
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < stream->open_count; i++)
            if (stream->open[i].number > last &&
                (next == UINT32_MAX || stream->open[i].number < stream->open[next].number))
                next = i;
        if (next == UINT32_MAX) return;
        trni_open_read read = stream->open[next];
        last = read.number;
        trn_completion completion;
        if (!trni_inbox_take(stream->def.inbox, read.number, &completion)) continue;
        stream->open[next] = stream->open[--stream->open_count];
        stream->open_bytes -=
            stream->resources[stream->pages[read.page].resource].chunks[read.chunk].info.decoded_bytes;
        chunk_arrived(stream, &read, &completion, outputs);
    }
}

static bool dependencies_ready(const trni_stream *stream, const trni_stream_page *page) {
    const trni_stream_resource *resource = &stream->resources[page->resource];
    for (uint32_t d = 0; d < page->dependency_count; d++) {
        uint32_t on = resource->first_page + resource->dependencies[page->first_dependency + d];
        if (stream->pages[on].state != TRNI_PAGE_READY) return false;
    }
    return true;
}

/* In table order, so that what a page depends on comes first. */
static void make_pages_ready(trni_stream *stream, trni_stream_outputs *outputs) {
    uint32_t count = stream->loading.count;
    for (uint32_t i = 0; i < count; i++) stream->order[i] = stream->loading.pages[i];
    trni_sort_u64(stream->order, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = (uint32_t)stream->order[i];
        const trni_stream_page *page = &stream->pages[index];
        if (page->chunks_placed == page->chunk_count && page->last_copy < stream->submit &&
            dependencies_ready(stream, page))
            trni_stream_make_ready(stream, index, outputs);
    }
}

void trni_stream_begin(trni_stream *stream, uint64_t update, uint64_t submit, uint64_t retired,
                       trni_stream_outputs *outputs) {
    stream->update = update;
    stream->submit = submit;
    stream->retired = retired;
    release_lent(stream);
    take_completions(stream, outputs);
    make_pages_ready(stream, outputs);
}
