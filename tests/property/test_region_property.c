/* SPDX-License-Identifier: MIT */
/* Regions against a slow oracle: a plain table that tests every region against every source and follows the sentences of
 * SPEC R2, R3 and R8 one by one. Random worlds, sources, edits, loaders and hosts; every event, read and cancel of every
 * update must be the one that the table predicts, in the same order. */
#include <math.h>

#include "support/region_rig.h"

/* ---- the oracle ---- */

typedef enum stage { NOTHING, READ, READY, HANDED, ANSWERED } stage;

typedef struct model_region {
    bool exists, dying, failed, superseded, restarting;
    trn_region_id id;
    trn_region_def def;
    int request;
    trn_state actual, desired, goal;
    stage stage;
    trn_result result;
    uint64_t number;
    uint32_t bytes; /* of the read that is not yet handed over */
    uint32_t source_count;
    bool is_wanted_by_source;
    double nearest;
} model_region;

enum { MODEL_PLACES = 512, MODEL_EVENTS = 4 * MODEL_PLACES };

typedef struct model {
    trni_regions_def def;
    model_region regions[MODEL_PLACES];
    uint64_t bytes_in_flight;
    trn_event events[MODEL_EVENTS];
    uint32_t event_count;
    uint32_t reads[MODEL_PLACES]; /* places, in order */
    uint32_t read_count;
    uint64_t cancels[MODEL_PLACES];
    uint32_t cancel_count;
} model;

static bool loaded(trn_state state) { return state == TRN_STATE_RESIDENT || state == TRN_STATE_ACTIVE; }

static double squared_distance(const model_region *region, const double *p) {
    double d[3];
    for (int a = 0; a < 3; a++) {
        const trn_world_box *box = &region->def.box;
        d[a] = p[a] < box->min[a] ? box->min[a] - p[a] : p[a] > box->max[a] ? p[a] - box->max[a] : 0;
    }
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static double enlarged(const model *m, double radius) {
    if (isinf(radius)) return radius;
    return fmax(radius * m->def.hysteresis, radius + m->def.margin);
}

static bool reaches(const model *m, const model_region *region, const trn_source *source, trn_state target) {
    double radius = source->radius, keep = enlarged(m, radius);
    if (region->def.load_radius > 0) {
        radius = region->def.load_radius;
        keep = region->def.unload_radius > 0 ? region->def.unload_radius : enlarged(m, radius);
    }
    trn_state has = TRN_STATE_UNLOADED;
    if (loaded(region->actual)) has = region->actual;
    if (region->actual == TRN_STATE_LOADING || region->restarting) has = region->goal;
    double limit = has >= target ? keep : radius;
    return squared_distance(region, source->position) <= limit * limit;
}

static double weight_of(const trn_source *source) { return source->weight > 0 ? (double)source->weight : 1; }

static void model_desire(model *m, const trn_source *sources, uint32_t count) {
    model_region *zero = &m->regions[0];
    bool any = false;
    for (uint32_t i = 0; i < MODEL_PLACES; i++) {
        model_region *region = &m->regions[i];
        if (!region->exists) continue;
        region->desired = m->def.edit ? TRN_STATE_ACTIVE : region->def.authored;
        region->source_count = 0;
        region->is_wanted_by_source = false;
        for (uint32_t k = 0; i != 0 && k < count; k++) {
            trn_state target = sources[k].target ? sources[k].target : TRN_STATE_ACTIVE;
            if (!reaches(m, region, &sources[k], target)) continue;
            region->source_count++;
            if (sources[k].observer) continue;
            if (region->desired < target) region->desired = target;
            double distance = sqrt(squared_distance(region, sources[k].position)) / weight_of(&sources[k]);
            if (!region->is_wanted_by_source || distance < region->nearest) region->nearest = distance;
            region->is_wanted_by_source = true;
        }
        if (i == 0) continue;
        if (region->request >= 0) region->desired = (trn_state)region->request;
        if (region->dying || zero->request == TRN_STATE_UNLOADED) region->desired = TRN_STATE_UNLOADED;
        if (region->desired != TRN_STATE_UNLOADED || loaded(region->actual)) any = true;
    }
    if (any && zero->desired < TRN_STATE_RESIDENT) zero->desired = TRN_STATE_RESIDENT;
    if (zero->request >= 0) zero->desired = (trn_state)zero->request;
    for (uint32_t i = 0; i < MODEL_PLACES; i++) {
        model_region *region = &m->regions[i];
        if (region->desired == TRN_STATE_UNLOADED) region->restarting = false;
        if (region->actual == TRN_STATE_LOADING || region->restarting) region->goal = region->desired;
    }
}

static double order_key(const model_region *region, uint32_t place, const trn_source *sources, uint32_t count) {
    if (place == 0) return -1;
    if (region->is_wanted_by_source) return region->nearest;
    double nearest = INFINITY;
    bool any = false;
    for (uint32_t k = 0; k < count; k++) {
        if (sources[k].observer) continue;
        any = true;
        nearest = fmin(nearest, sqrt(squared_distance(region, sources[k].position)) / weight_of(&sources[k]));
    }
    return any ? nearest : 0;
}

static trn_event *model_event(model *m, uint32_t place, trn_event_type type) {
    trn_event *event = &m->events[m->event_count++];
    *event = (trn_event){.type = type, .region = m->regions[place].id, .user_data = m->regions[place].def.user_data};
    return event;
}

static void model_move(model *m, uint32_t place, trn_state to) {
    trn_event *event = model_event(m, place, TRN_EVENT_REGION_STATE);
    event->from = m->regions[place].actual;
    event->to = to;
    m->regions[place].actual = to;
}

static void model_end_load(model *m, uint32_t place, trn_load_end end, trn_state to) {
    model_region *region = &m->regions[place];
    if (region->stage == READ) m->cancels[m->cancel_count++] = region->number;
    m->bytes_in_flight -= region->bytes;
    region->bytes = 0;
    region->superseded = false;
    region->restarting = end == TRN_LOAD_SUPERSEDED;
    region->failed = end == TRN_LOAD_FAILED;
    trn_event *event = model_event(m, place, TRN_EVENT_LOAD_END);
    event->end = end;
    if (end == TRN_LOAD_FAILED) event->result = region->result;
    region->stage = NOTHING;
    model_move(m, place, to);
}

typedef struct ordered {
    double key;
    uint32_t place;
} ordered;

static int by_key_and_place(const void *left, const void *right) {
    const ordered *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void model_update(model *m, rig *r, const trn_source *sources, uint32_t count) {
    m->event_count = m->read_count = m->cancel_count = 0;
    for (uint32_t i = 0; i < MODEL_PLACES; i++) {
        model_region *region = &m->regions[i];
        if (region->stage == READ && r->places[i].has_arrived) {
            region->stage = READY;
            region->result = r->places[i].arrived;
            if (region->result != TRN_OK) m->bytes_in_flight -= region->bytes, region->bytes = 0;
        }
        if (region->stage == HANDED && (m->def.auto_confirm || r->places[i].has_answered)) {
            region->stage = ANSWERED;
            region->result = r->places[i].has_answered ? r->places[i].answered : TRN_OK;
        }
        r->places[i].has_arrived = r->places[i].has_answered = false;
    }
    model_desire(m, sources, count);

    /* Whatever a region does in this update is decided by its state before it. */
    model_region was[MODEL_PLACES];
    memcpy(was, m->regions, sizeof was);
    for (uint32_t i = 0; i < MODEL_PLACES; i++) {
        model_region *region = &m->regions[i];
        if (region->actual != TRN_STATE_LOADING) continue;
        bool early = region->stage == READ || region->stage == READY;
        if (region->stage == ANSWERED && region->result == TRN_OK)
            model_end_load(m, i, TRN_LOAD_OK,
                           region->desired == TRN_STATE_ACTIVE ? TRN_STATE_ACTIVE : TRN_STATE_RESIDENT);
        else if (region->stage == ANSWERED)
            model_end_load(m, i, TRN_LOAD_FAILED, TRN_STATE_UNLOADED);
        else if (early && region->desired == TRN_STATE_UNLOADED)
            model_end_load(m, i, TRN_LOAD_CANCELLED, TRN_STATE_UNLOADED);
        else if (early && region->superseded)
            model_end_load(m, i, TRN_LOAD_SUPERSEDED, TRN_STATE_UNLOADED);
        else if (region->stage == READY && region->result != TRN_OK)
            model_end_load(m, i, TRN_LOAD_FAILED, TRN_STATE_UNLOADED);
    }
    for (uint32_t i = 0; i < MODEL_PLACES; i++)
        if (was[i].actual == TRN_STATE_UNLOADING && was[i].stage == ANSWERED) {
            m->regions[i].stage = NOTHING;
            model_move(m, i, TRN_STATE_UNLOADED);
        }
    for (uint32_t i = 0; i < MODEL_PLACES; i++)
        if (was[i].exists && was[i].dying && was[i].actual == TRN_STATE_UNLOADED) {
            model_event(m, i, TRN_EVENT_REGION_DELETED);
            m->regions[i] = (model_region){0};
        }
    for (uint32_t i = 0; i < MODEL_PLACES; i++)
        if (loaded(was[i].actual) && loaded(was[i].desired) && was[i].actual != was[i].desired)
            model_move(m, i, was[i].desired);

    ordered list[MODEL_PLACES];
    uint32_t n = 0, done = 0;
    for (uint32_t i = 0; i < MODEL_PLACES; i++)
        if (loaded(was[i].actual) && was[i].desired == TRN_STATE_UNLOADED)
            list[n++] = (ordered){i == 0 ? INFINITY : -order_key(&was[i], i, sources, count), i};
    qsort(list, n, sizeof *list, by_key_and_place);
    for (uint32_t k = 0; k < n && done < m->def.unloads; k++) {
        uint32_t i = list[k].place;
        if (i == 0) {
            bool others = false;
            for (uint32_t j = 1; j < MODEL_PLACES; j++) others = others || m->regions[j].actual != TRN_STATE_UNLOADED;
            if (others) continue;
        }
        done++;
        model_event(m, i, TRN_EVENT_REGION_UNLOAD);
        m->regions[i].stage = HANDED;
        model_move(m, i, TRN_STATE_UNLOADING);
    }

    n = done = 0;
    for (uint32_t i = 0; i < MODEL_PLACES; i++)
        if (m->regions[i].actual == TRN_STATE_LOADING && m->regions[i].stage == READY)
            list[n++] = (ordered){order_key(&was[i], i, sources, count), i};
    qsort(list, n, sizeof *list, by_key_and_place);
    for (uint32_t k = 0; k < n && k < m->def.loads_finished; k++) {
        model_region *region = &m->regions[list[k].place];
        region->stage = HANDED;
        model_event(m, list[k].place, TRN_EVENT_REGION_LOAD)->bytes = region->bytes;
        m->bytes_in_flight -= region->bytes;
        region->bytes = 0;
    }

    n = 0;
    for (uint32_t i = 0; i < MODEL_PLACES; i++)
        if (was[i].exists && !was[i].dying && !was[i].failed && was[i].actual == TRN_STATE_UNLOADED &&
            was[i].desired != TRN_STATE_UNLOADED)
            list[n++] = (ordered){order_key(&was[i], i, sources, count), i};
    qsort(list, n, sizeof *list, by_key_and_place);
    bool blocked = false;
    for (uint32_t k = 0; k < n && done < m->def.loads_started; k++) {
        uint32_t i = list[k].place;
        model_region *region = &m->regions[i];
        if (i != 0 && !loaded(m->regions[0].actual)) break;
        uint32_t bytes = region->def.payload.bytes;
        if (bytes && (blocked || (m->bytes_in_flight > 0 && m->bytes_in_flight + bytes > m->def.read_bytes))) {
            blocked = true;
            continue;
        }
        done++;
        region->stage = bytes ? READ : READY;
        region->result = TRN_OK;
        region->bytes = bytes;
        region->restarting = false;
        m->bytes_in_flight += bytes;
        region->goal = region->desired;
        if (bytes) {
            m->reads[m->read_count] = i;
            assert_true(m->read_count < r->out.read_count);
            region->number = r->out.reads[m->read_count++].number;
        }
        model_move(m, i, TRN_STATE_LOADING);
    }
}

static void compare(const model *m, rig *r) {
    assert_int_equal(r->out.event_count, m->event_count);
    for (uint32_t i = 0; i < m->event_count; i++) {
        const trn_event *is = &r->out.events[i], *expected = &m->events[i];
        assert_int_equal(is->type, expected->type);
        assert_int_equal(is->region.index1, expected->region.index1);
        assert_int_equal(is->region.generation, expected->region.generation);
        assert_true(is->from == expected->from && is->to == expected->to && is->end == expected->end);
        assert_int_equal(is->result, expected->result);
        assert_true(is->bytes == expected->bytes && is->user_data == expected->user_data);
    }
    assert_int_equal(r->out.read_count, m->read_count);
    for (uint32_t i = 0; i < m->read_count; i++) {
        const trn_read *read = &r->out.reads[i];
        const trn_payload *payload = &m->regions[m->reads[i]].def.payload;
        assert_int_equal(read->region.index1, m->reads[i] + 1);
        assert_true(read->offset == payload->offset && read->bytes == payload->bytes && read->file == payload->file);
    }
    assert_int_equal(r->out.cancel_count, m->cancel_count);
    for (uint32_t i = 0; i < m->cancel_count; i++) { /* in the order of the ends */
        assert_int_equal(r->out.cancels[i], m->cancels[i]);
    }
    for (uint32_t i = 0; i < MODEL_PLACES; i++) {
        const model_region *region = &m->regions[i];
        if (!region->exists) continue;
        trn_region_info info = rig_info(r, region->id);
        assert_int_equal(info.actual, region->actual);
        assert_int_equal(info.desired, region->desired);
        assert_int_equal(info.source_count, region->source_count);
        assert_int_equal(info.failed, region->failed);
        assert_int_equal(info.request, region->request);
    }
}

/* ---- random worlds ---- */

/* On a coarse grid, so that boxes, spheres and radii often just touch. */
static double coarse(uint64_t *random, double side) { return 8 * floor(random_between(random, 0, side) / 8); }

static trn_region_def random_region(uint64_t *random, double side, double far) {
    trn_region_def def = {.authored =
                              random_below(random, 12) ? TRN_STATE_UNLOADED : (trn_state)random_below(random, 3),
                          .user_data = random_u64(random)};
    for (int a = 0; a < 3; a++) {
        double at = coarse(random, side) - side / 2;
        if (a != 1)
            at += far;
        else
            at /= 4;
        def.box.min[a] = at;
        def.box.max[a] = at + coarse(random, 80);
    }
    if (random_below(random, 60) == 0) def.box.max[random_below(random, 3)] = INFINITY;
    if (random_below(random, 5) == 0) {
        def.load_radius = 8 + coarse(random, side / 4);
        if (random_below(random, 2)) def.unload_radius = def.load_radius + coarse(random, 64);
    }
    if (random_below(random, 3))
        def.payload = (trn_payload){random_below(random, 4), 1 + random_below(random, 900), random_u64(random) >> 20};
    return def;
}

static trn_source random_source(uint64_t *random, double side, double far) {
    trn_source source = {.radius = coarse(random, side / 3),
                         .target = (trn_state)(random_below(random, 3)),
                         .weight = random_below(random, 3) ? 0 : (float)random_between(random, 0.1, 4),
                         .observer = random_below(random, 7) == 0};
    for (int a = 0; a < 3; a++) source.position[a] = coarse(random, side) - side / 2 + (a != 1 ? far : 0);
    source.position[1] /= 4;
    if (random_below(random, 25) == 0) source.radius = INFINITY;
    if (random_below(random, 25) == 0) source.radius = 0;
    return source;
}

typedef struct scene {
    rig *rig;
    model *model;
    uint64_t random;
    double side, far;
    uint32_t edits_one_in;
} scene;

static void create(scene *s) {
    trn_region_def def = random_region(&s->random, s->side, s->far);
    trn_region_id id;
    assert_int_equal(trni_region_create(s->rig->regions, &def, &id), TRN_OK);
    assert_in_range(id.index1, 2, MODEL_PLACES);
    model_region *region = &s->model->regions[id.index1 - 1];
    assert_false(region->exists);
    *region = (model_region){.exists = true, .id = id, .def = def, .request = TRN_STATE_NONE};
}

static model_region *any_region(scene *s, uint32_t places) {
    for (;;) {
        model_region *region = &s->model->regions[random_below(&s->random, places)];
        if (region->exists) return region;
    }
}

static void edit(scene *s, uint32_t places) {
    trni_regions *regions = s->rig->regions;
    model_region *region = any_region(s, places);
    trn_state wish = (trn_state)random_below(&s->random, 3);
    bool early = region->stage == READ || region->stage == READY;
    switch (random_below(&s->random, 10)) {
    case 0:
    case 1:
        assert_int_equal(trni_region_request(regions, region->id, wish), TRN_OK);
        region->request = (int)wish;
        break;
    case 2:
    case 3:
        assert_int_equal(trni_region_clear_request(regions, region->id), TRN_OK);
        region->request = TRN_STATE_NONE;
        break;
    case 4:
        assert_int_equal(trni_region_set_authored(regions, region->id, wish), TRN_OK);
        region->def.authored = wish;
        break;
    case 5:
    case 6: {
        trn_payload payload = {random_below(&s->random, 4), random_below(&s->random, 900),
                               random_u64(&s->random) >> 20};
        assert_int_equal(trni_region_set_payload(regions, region->id, payload), TRN_OK);
        region->def.payload = payload;
        region->failed = false;
        if (region->actual == TRN_STATE_LOADING && early) region->superseded = true;
        break;
    }
    case 7:
        if (random_below(&s->random, 4)) {
            assert_int_equal(trni_region_retry(regions, region->id), TRN_OK);
            region->failed = false;
            break;
        }
        trni_regions_retry(regions);
        for (uint32_t i = 0; i < MODEL_PLACES; i++) s->model->regions[i].failed = false;
        break;
    case 8:
        if (region == &s->model->regions[0]) {
            assert_int_equal(trni_region_delete(regions, region->id), TRN_ERROR_ARGUMENT);
            break;
        }
        assert_int_equal(trni_region_delete(regions, region->id), TRN_OK);
        region->dying = true;
        if (random_below(&s->random, 8)) create(s);
        break;
    default:
        if (random_below(&s->random, 6)) break;
        trni_regions_clear_requests(regions);
        for (uint32_t i = 0; i < MODEL_PLACES; i++)
            if (s->model->regions[i].exists) s->model->regions[i].request = TRN_STATE_NONE;
        break;
    }
}

static void run_world(uint64_t seed, uint32_t updates) {
    uint64_t random = seed;
    trni_regions_def def = {.hysteresis = random_below(&random, 3) ? 0 : 1,
                            .margin = 8.0 * random_below(&random, 3),
                            .loads_started = 1 + random_below(&random, 8),
                            .loads_finished = 1 + random_below(&random, 8),
                            .unloads = 1 + random_below(&random, 16),
                            .read_bytes = random_below(&random, 2) ? 0 : 500 + random_below(&random, 2000),
                            .auto_confirm = random_below(&random, 3) == 0,
                            .edit = random_below(&random, 10) == 0,
                            .region_zero_payload = {.bytes = random_below(&random, 2) * 77}};
    scene s = {.rig = rig_create(def), .model = calloc(1, sizeof(model)), .random = random, .side = 512};
    if (!s.model) abort();
    s.far = random_below(&s.random, 3) == 0 ? 1e7 : 0;
    s.model->def = s.rig->def;
    trn_region_id zero;
    assert_int_equal(trni_regions_list(s.rig->regions, &zero, 1), 1);
    s.model->regions[0] =
        (model_region){.exists = true, .id = zero, .request = TRN_STATE_NONE, .def.payload = def.region_zero_payload};
    s.rig->random = seed ^ 1;
    s.rig->read_spread = random_below(&s.random, 2) * random_below(&s.random, 30);
    s.rig->confirm_spread = random_below(&s.random, 2) * random_below(&s.random, 10);
    s.rig->fail_one_in = random_below(&s.random, 3) ? 0 : 10;
    s.rig->twice_one_in = 10;
    s.edits_one_in = 1 + random_below(&s.random, 20);

    uint32_t first = random_below(&s.random, 150);
    for (uint32_t i = 0; i < first; i++) create(&s);
    trn_source sources[5];
    for (int i = 0; i < 5; i++) sources[i] = random_source(&s.random, s.side, s.far);
    for (uint32_t u = 0; u < updates; u++) {
        uint32_t places = 1;
        for (uint32_t i = 1; i < MODEL_PLACES; i++) places = s.model->regions[i].exists ? i + 1 : places;
        if (random_below(&s.random, s.edits_one_in) == 0) edit(&s, places);
        if (random_below(&s.random, 40) == 0 && places < MODEL_PLACES - 64)
            for (uint32_t i = random_below(&s.random, 50); i-- > 0;) create(&s);
        for (int i = 0; i < 5; i++) {
            if (random_below(&s.random, 60) == 0) sources[i] = random_source(&s.random, s.side, s.far);
            for (int a = 0; a < 3; a += 2) sources[i].position[a] += 8.0 * (double)random_below(&s.random, 3) - 8.0;
        }
        uint32_t count = (u / 50) % 6;
        rig_update(s.rig, sources, count);
        model_update(s.model, s.rig, sources, count);
        compare(s.model, s.rig);
        if (count >= 2) { /* the order of sources never matters: the next update gets another one */
            trn_source other = sources[0];
            sources[0] = sources[count - 1];
            sources[count - 1] = other;
        }
    }
    rig_destroy(s.rig);
    free(s.model);
}

static void every_event_is_the_one_the_table_predicts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) run_world(seed * 7919, 400);
}

static void a_long_run_stays_right(void **state) {
    (void)state;
    run_world(4711, 6000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_is_the_one_the_table_predicts),
        cmocka_unit_test(a_long_run_stays_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
