/* SPDX-License-Identifier: MIT */
/* What is done about what is wanted: at most one transition a region, within the caps, in a fixed order.
 *
 * Every region that the demand looked at is given at most one action, by its state alone. The actions are then done kind
 * by kind, in the order of the list below, and within a kind by (key, place); what a cap or a full array stops is decided
 * anew in the next update. */
#include <math.h>
#include <string.h>

#include "region_table.h"
#include "stream/inbox_internal.h"

typedef enum action {
    ACTION_END_LOAD,   /* Loading -> Resident, Active or Unloaded; by place */
    ACTION_END_UNLOAD, /* Unloading -> Unloaded; by place */
    ACTION_DELETE,     /* unloaded and deleted: the id becomes stale; by place */
    ACTION_CHANGE,     /* Resident <-> Active; by place */
    ACTION_UNLOAD,     /* loaded -> Unloading; farthest first, region 0 last */
    ACTION_HAND_OVER,  /* Loading: the host is given the bytes; nearest first, region 0 before all */
    ACTION_START,      /* Unloaded -> Loading; nearest first, region 0 before all */
    ACTION_COUNT,
    ACTION_NONE
} action;

/* What doing an action can need in events. */
static const uint32_t events_needed[ACTION_COUNT] = {2, 1, 1, 1, 2, 1, 1};

typedef enum progress {
    PROGRESS_NEXT,      /* go on */
    PROGRESS_NEXT_KIND, /* nothing more of this kind in this update */
    PROGRESS_STOP       /* an output is full */
} progress;

typedef struct step {
    trni_regions *regions;
    const trn_source *sources;
    uint32_t source_count;
    trni_region_outputs *outputs;
    bool reads_blocked;
} step;

/* ---- which action ---- */

/* How a load ends now; -1: it does not. What is no longer wanted is cancelled, however its read went. */
static int load_end(const trni_region_state *state) {
    if (state->wait == TRNI_WAIT_DONE) return state->load_result == TRN_OK ? TRN_LOAD_OK : TRN_LOAD_FAILED;
    if (state->wait == TRNI_WAIT_CONFIRM) return -1;
    if (state->desired == TRN_STATE_UNLOADED) return TRN_LOAD_CANCELLED;
    if (state->superseded) return TRN_LOAD_SUPERSEDED;
    if (state->wait == TRNI_WAIT_HAND_OVER && state->load_result != TRN_OK) return TRN_LOAD_FAILED;
    return -1;
}

static action action_of(const trni_region_state *state) {
    switch (state->actual) {
    case TRN_STATE_UNLOADED:
        if (state->dying) return ACTION_DELETE;
        return state->desired != TRN_STATE_UNLOADED && !state->failed ? ACTION_START : ACTION_NONE;
    case TRN_STATE_LOADING:
        if (load_end(state) >= 0) return ACTION_END_LOAD;
        return state->wait == TRNI_WAIT_HAND_OVER ? ACTION_HAND_OVER : ACTION_NONE;
    case TRN_STATE_UNLOADING: return state->wait == TRNI_WAIT_DONE ? ACTION_END_UNLOAD : ACTION_NONE;
    default:
        if (state->desired == TRN_STATE_UNLOADED) return ACTION_UNLOAD;
        return state->desired != state->actual ? ACTION_CHANGE : ACTION_NONE;
    }
}

/* Metres to the nearest source that wants it, or, if none reaches it, to the nearest at all; divided by weights. */
static double distance_of(const step *s, uint32_t place) {
    const trni_region_state *state = &s->regions->states[place];
    if (state->nearest >= 0) return state->nearest;
    double nearest = -1;
    for (uint32_t i = 0; i < s->source_count; i++) {
        const trn_source *source = &s->sources[i];
        if (source->observer) continue;
        double distance = sqrt(trni_box_distance_squared(&s->regions->facts[place].box, source->position));
        distance /= source->weight > 0 ? (double)source->weight : 1.0;
        if (nearest < 0 || distance < nearest) nearest = distance;
    }
    return nearest < 0 ? 0 : nearest;
}

static double key_of(const step *s, action what, uint32_t place) {
    switch (what) {
    case ACTION_UNLOAD: return place == 0 ? (double)INFINITY : -distance_of(s, place);
    case ACTION_HAND_OVER:
    case ACTION_START: return place == 0 ? -1 : distance_of(s, place);
    default: return 0;
    }
}

/* ---- the queue: a heap for each kind, smallest (key, place) on top ---- */

static bool before(const trni_region_candidate *a, const trni_region_candidate *b) {
    return a->key < b->key || (a->key == b->key && a->place < b->place);
}

static void sift(trni_region_candidate *heap, uint32_t count, uint32_t root) {
    trni_region_candidate moving = heap[root];
    for (;;) {
        uint32_t child = root * 2 + 1;
        if (child >= count) break;
        if (child + 1 < count && before(&heap[child + 1], &heap[child])) child++;
        if (!before(&heap[child], &moving)) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = moving;
}

/* ---- doing it ---- */

static trn_event *add_event(step *s, trn_event_type type, uint32_t place) {
    trn_event *event = &s->outputs->events[s->outputs->event_count++];
    *event = (trn_event){.type = type,
                         .region = {place + 1, s->regions->states[place].generation},
                         .user_data = s->regions->facts[place].user_data};
    return event;
}

static uint32_t new_ticket(trni_regions *regions) {
    if (++regions->last_ticket == 0) regions->last_ticket = 1;
    return regions->last_ticket;
}

static void move_to(step *s, uint32_t place, trn_state to) {
    trni_regions *regions = s->regions;
    trni_region_state *state = &regions->states[place];
    trn_state from = (trn_state)state->actual;
    trn_event *event = add_event(s, TRN_EVENT_REGION_STATE, place);
    event->from = from;
    event->to = to;
    regions->stats.by_state[from]--;
    regions->stats.by_state[to]++;
    if (trni_state_is_loaded(state->actual) || trni_state_is_loaded((uint8_t)to))
        regions->changed[regions->changed_count++] = place;
    state->actual = (uint8_t)to;
    state->since = regions->step;
    trni_region_relist(regions, place);
}

static void fail(step *s, uint32_t place) {
    trni_region_state *state = &s->regions->states[place];
    trni_region_facts *facts = &s->regions->facts[place];
    state->failed = true;
    facts->failure = state->load_result;
    s->regions->stats.failed++;
    trni_log(&s->regions->def.log, TRN_LOG_REGION_FAILED, "region \"%s\": load failed: %s", facts->name,
             trn_result_text((trn_result)facts->failure));
}

static progress end_load(step *s, uint32_t place) {
    trni_regions *regions = s->regions;
    trni_region_state *state = &regions->states[place];
    trni_region_outputs *outputs = s->outputs;
    trn_load_end end = (trn_load_end)load_end(state);
    if (state->wait == TRNI_WAIT_DONE) {
        trni_region_retire_load(regions, place);
    } else {
        if (state->wait == TRNI_WAIT_READ && outputs->cancel_count == outputs->cancel_capacity) return PROGRESS_STOP;
        uint64_t number = trni_region_drop_load(regions, place);
        if (number != 0) outputs->cancels[outputs->cancel_count++] = number;
    }
    state->wait = TRNI_WAIT_NOTHING;
    state->superseded = false;
    state->restarting = end == TRN_LOAD_SUPERSEDED;
    trn_event *event = add_event(s, TRN_EVENT_LOAD_END, place);
    event->end = end;
    if (end == TRN_LOAD_FAILED) {
        event->result = (trn_result)state->load_result;
        fail(s, place);
    }
    trn_state loaded = state->desired == TRN_STATE_ACTIVE ? TRN_STATE_ACTIVE : TRN_STATE_RESIDENT;
    move_to(s, place, end == TRN_LOAD_OK ? loaded : TRN_STATE_UNLOADED);
    return PROGRESS_NEXT;
}

static progress end_unload(step *s, uint32_t place) {
    s->regions->states[place].wait = TRNI_WAIT_NOTHING;
    move_to(s, place, TRN_STATE_UNLOADED);
    return PROGRESS_NEXT;
}

static progress delete_region(step *s, uint32_t place) {
    add_event(s, TRN_EVENT_REGION_DELETED, place);
    trni_region_free(s->regions, place);
    return PROGRESS_NEXT;
}

static progress unload(step *s, uint32_t place) {
    trni_regions *regions = s->regions;
    const trni_regions_stats *stats = &regions->stats;
    if (stats->unloads_started == regions->def.unloads) return PROGRESS_NEXT_KIND;
    /* Region 0 last: nothing else may be in memory, on its way in, or on its way out. */
    if (place == 0 && stats->by_state[TRN_STATE_UNLOADED] != stats->count - 1) return PROGRESS_NEXT_KIND;
    regions->stats.unloads_started++;
    trni_region_state *state = &regions->states[place];
    state->ticket = new_ticket(regions);
    state->wait = TRNI_WAIT_CONFIRM;
    add_event(s, TRN_EVENT_REGION_UNLOAD, place)->ticket = state->ticket;
    move_to(s, place, TRN_STATE_UNLOADING);
    return PROGRESS_NEXT;
}

static progress hand_over(step *s, uint32_t place) {
    trni_regions *regions = s->regions;
    if (regions->stats.loads_finished == regions->def.loads_finished) return PROGRESS_NEXT_KIND;
    regions->stats.loads_finished++;
    trni_region_state *state = &regions->states[place];
    state->ticket = new_ticket(regions);
    state->wait = TRNI_WAIT_CONFIRM;
    trn_event *event = add_event(s, TRN_EVENT_REGION_LOAD, place);
    event->ticket = state->ticket;
    if (state->load1 != 0) {
        const trni_region_load *load = &regions->loads[state->load1 - 1];
        event->data = load->completion.data;
        event->bytes = load->bytes;
        regions->bytes_in_flight -= load->bytes;
    }
    return PROGRESS_NEXT;
}

/* Payloads go strictly in order: one that does not fit holds the others back, so that it is never starved by smaller ones.
 * One larger than the whole budget passes when it is alone. */
static bool ask_for_bytes(step *s, uint32_t place, uint64_t bytes) {
    trni_regions *regions = s->regions;
    trni_region_outputs *outputs = s->outputs;
    uint64_t in_flight = regions->bytes_in_flight;
    bool fits =
        in_flight == 0 || (in_flight <= regions->def.read_bytes && bytes <= regions->def.read_bytes - in_flight);
    bool asked = !s->reads_blocked && fits && outputs->read_count < outputs->read_capacity &&
                 trni_region_read(regions, place, &outputs->reads[outputs->read_count]);
    if (asked)
        outputs->read_count++;
    else
        s->reads_blocked = true;
    return asked;
}

static progress start(step *s, uint32_t place) {
    trni_regions *regions = s->regions;
    if (place != 0 && !trni_state_is_loaded(regions->states[0].actual)) return PROGRESS_NEXT_KIND;
    if (regions->stats.loads_started == regions->def.loads_started) return PROGRESS_NEXT_KIND;
    trni_region_state *state = &regions->states[place];
    uint32_t bytes = regions->facts[place].payload.bytes;
    if (bytes != 0 && !ask_for_bytes(s, place, bytes)) return PROGRESS_NEXT;
    regions->stats.loads_started++;
    state->wait = bytes != 0 ? TRNI_WAIT_READ : TRNI_WAIT_HAND_OVER;
    state->load_result = TRN_OK;
    state->goal = state->desired;
    state->restarting = false;
    move_to(s, place, TRN_STATE_LOADING);
    return PROGRESS_NEXT;
}

static progress do_action(step *s, action what, uint32_t place) {
    switch (what) {
    case ACTION_END_LOAD: return end_load(s, place);
    case ACTION_END_UNLOAD: return end_unload(s, place);
    case ACTION_DELETE: return delete_region(s, place);
    case ACTION_CHANGE: move_to(s, place, (trn_state)s->regions->states[place].desired); return PROGRESS_NEXT;
    case ACTION_UNLOAD: return unload(s, place);
    case ACTION_HAND_OVER: return hand_over(s, place);
    default: return start(s, place);
    }
}

/* ---- the step ---- */

/* Brings a touched region's own memory up to date with the demand and picks its action. */
static action settle(trni_regions *regions, uint32_t place) {
    trni_region_state *state = &regions->states[place];
    if (state->wait == TRNI_WAIT_CONFIRM && regions->def.auto_confirm) {
        state->wait = TRNI_WAIT_DONE;
        state->load_result = TRN_OK;
    }
    if (state->restarting && state->desired == TRN_STATE_UNLOADED) {
        state->restarting = false;
        trni_region_relist(regions, place);
    }
    if (state->actual == TRN_STATE_LOADING || state->restarting) state->goal = state->desired;
    return action_of(state);
}

/* Fills the queue, kind after kind; first[k] .. first[k + 1] are those of kind k. */
static void fill_queue(const step *s, uint32_t first[ACTION_COUNT + 1]) {
    trni_regions *regions = s->regions;
    uint32_t next[ACTION_COUNT] = {0};
    for (uint32_t i = 0; i < regions->touched_count; i++) {
        uint32_t place = regions->touched[i];
        action what = settle(regions, place);
        regions->states[place].action = (uint8_t)what;
        if (what != ACTION_NONE) next[what]++;
    }
    first[0] = 0;
    for (int k = 0; k < ACTION_COUNT; k++) {
        first[k + 1] = first[k] + next[k];
        next[k] = first[k];
    }
    if (first[ACTION_COUNT] == 0) return;
    for (uint32_t i = 0; i < regions->touched_count; i++) {
        uint32_t place = regions->touched[i];
        action what = (action)regions->states[place].action;
        if (what == ACTION_NONE) continue;
        regions->queue[next[what]++] = (trni_region_candidate){key_of(s, what, place), place};
    }
}

static progress do_kind(step *s, action what, trni_region_candidate *heap, uint32_t count) {
    for (uint32_t i = count / 2; i-- > 0;) sift(heap, count, i);
    while (count != 0) {
        if (s->outputs->event_capacity - s->outputs->event_count < events_needed[what]) return PROGRESS_STOP;
        progress done = do_action(s, what, heap[0].place);
        if (done != PROGRESS_NEXT) return done;
        heap[0] = heap[--count];
        sift(heap, count, 0);
    }
    return PROGRESS_NEXT;
}

void trni_regions_step(trni_regions *regions, const trn_source *sources, uint32_t count, trni_region_outputs *outputs) {
    step s = {regions, sources, count, outputs, false};
    uint32_t first[ACTION_COUNT + 1];
    regions->step++;
    regions->changed_count = 0;
    regions->stats.loads_started = regions->stats.loads_finished = regions->stats.unloads_started = 0;
    trni_region_demand(regions, sources, count);
    fill_queue(&s, first);
    for (int k = 0; k < ACTION_COUNT; k++)
        if (do_kind(&s, (action)k, &regions->queue[first[k]], first[k + 1] - first[k]) == PROGRESS_STOP) break;
}

trni_region_capacity trni_regions_capacity(const trni_regions *regions) {
    /* Two events for every region are the most there can be; a large world makes do with less and waits. */
    uint32_t count = regions->place_count;
    uint32_t events = count < 4096 ? count * 2 : 8192;
    trni_region_capacity capacity = {.events = events > TRNI_REGION_EVENTS_MIN ? events : TRNI_REGION_EVENTS_MIN,
                                     .reads = count < regions->def.loads_started ? count : regions->def.loads_started,
                                     .cancels = regions->load_capacity};
    return capacity;
}
