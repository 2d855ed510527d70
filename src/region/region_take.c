/* SPDX-License-Identifier: MIT */
/* The bytes of regions: asked for, taken from the inbox, lent to the host, released. */
#include <string.h>

#include "region_table.h"
#include "stream/inbox_internal.h"

static void free_load(trni_regions *regions, uint32_t index) {
    trni_region_load *load = &regions->loads[index];
    memset(load, 0, sizeof *load);
    load->next = regions->free_load1;
    regions->free_load1 = index + 1;
}

static void stop_reading(trni_regions *regions, trni_region_load *load) {
    uint32_t moved = regions->reading[--regions->reading_count];
    regions->reading[load->next] = moved;
    regions->loads[moved].next = load->next;
    load->number = 0;
}

bool trni_region_read(trni_regions *regions, uint32_t place, trn_read *read) {
    bool reuse = regions->free_load1 != 0;
    if (!reuse && regions->load_count == regions->load_capacity) return false;
    uint64_t number = trni_inbox_open(regions->def.inbox);
    if (number == 0) return false;
    uint32_t index = reuse ? regions->free_load1 - 1 : regions->load_count++;
    trni_region_load *load = &regions->loads[index];
    if (reuse) regions->free_load1 = load->next;
    const trn_payload *payload = &regions->facts[place].payload;
    *load =
        (trni_region_load){.number = number, .place = place, .bytes = payload->bytes, .next = regions->reading_count};
    regions->reading[regions->reading_count++] = index;
    regions->states[place].load1 = index + 1;
    regions->bytes_in_flight += payload->bytes;

    *read = (trn_read){.number = number,
                       .offset = payload->offset,
                       .bytes = payload->bytes,
                       .file = payload->file,
                       .kind = TRN_READ_REGION,
                       .region = {place + 1, regions->states[place].generation}};
    return true;
}

uint64_t trni_region_drop_load(trni_regions *regions, uint32_t place) {
    uint32_t load1 = regions->states[place].load1;
    if (load1 == 0) return 0;
    trni_region_load *load = &regions->loads[load1 - 1];
    uint64_t number = load->number;
    if (number != 0) {
        stop_reading(regions, load);
        trni_inbox_abandon(regions->def.inbox, number);
    } else {
        trni_completion_release(&load->completion);
    }
    regions->bytes_in_flight -= load->bytes;
    regions->states[place].load1 = 0;
    free_load(regions, load1 - 1);
    return number;
}

void trni_region_retire_load(trni_regions *regions, uint32_t place) {
    uint32_t load1 = regions->states[place].load1;
    if (load1 == 0) return;
    regions->retiring[regions->retiring_count++] = load1 - 1;
    regions->states[place].load1 = 0;
}

/* What a completion says of the read: all the bytes asked for, or an error. */
static trn_result result_of(const trn_completion *completion, uint32_t bytes) {
    if (completion->result < 0) return completion->result;
    bool whole = completion->result == TRN_OK && completion->data && completion->bytes >= bytes;
    return whole ? TRN_OK : TRN_ERROR_IO;
}

static void take_one(trni_regions *regions, trni_region_load *load, const trn_completion *completion) {
    uint32_t place = load->place;
    trni_region_state *state = &regions->states[place];
    stop_reading(regions, load);
    load->completion = *completion;
    trn_result result = result_of(completion, load->bytes);
    state->load_result = (int16_t)result;
    state->wait = TRNI_WAIT_HAND_OVER;
    if (result != TRN_OK) trni_region_drop_load(regions, place);
}

void trni_regions_take(trni_regions *regions) {
    for (uint32_t i = 0; i < regions->retiring_count; i++) {
        trni_completion_release(&regions->loads[regions->retiring[i]].completion);
        free_load(regions, regions->retiring[i]);
    }
    regions->retiring_count = 0;
    /* Backwards: one that is taken leaves its place to one that was looked at already. */
    for (uint32_t i = regions->reading_count; i-- > 0;) {
        trni_region_load *load = &regions->loads[regions->reading[i]];
        trn_completion completion;
        if (trni_inbox_take(regions->def.inbox, load->number, &completion)) take_one(regions, load, &completion);
    }
}
