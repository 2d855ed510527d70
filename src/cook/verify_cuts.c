/* SPDX-License-Identifier: MIT */
/* CUTS: random cuts, looked at as a renderer would draw them. */
#include "verify_internal.h"

#include <math.h>
#include <terrane/shader/terrane_shared.h>

typedef struct cut_memory {
    uint8_t *missing, *resident; /* a page */
    uint8_t *drawn;              /* a cluster */
    uint8_t *refined;            /* a group */
} cut_memory;

static uint64_t next_random(uint64_t *state) { /* SplitMix64 */
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static double random_between(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(next_random(state) >> 11) * 0x1p-53);
}
/* Evenly distributed in its logarithm; low > 0. */
static double random_length(uint64_t *state, double low, double high) {
    return exp(random_between(state, log(low), log(high)));
}

/* ---- one random cut ---- */

static void random_error(const trn_model_data *data, uint64_t *state, trn_cut_def *def) {
    double low = HUGE_VAL, high = 0.0;
    for (uint32_t g = 0; g < data->info.group_count; g++) {
        double error = (double)data->groups[g].error;
        if (error > 0.0 && error < low) low = error;
        if (error > high) high = error;
    }
    def->error = high > 0.0 ? (float)random_length(state, low, high) : 0.0f;
}

static void random_camera(const trn_model_data *data, uint64_t *state, trn_cut_def *def) {
    double direction[3], length = 0.0;
    do {
        length = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            direction[axis] = random_between(state, -1.0, 1.0);
            length += direction[axis] * direction[axis];
        }
    } while (length > 1.0 || length < 1e-3);
    double distance = (double)data->info.sphere.radius * random_length(state, 0.05, 50.0);
    for (int axis = 0; axis < 3; axis++)
        def->camera[axis] = (double)data->info.sphere.center[axis] + direction[axis] / sqrt(length) * distance;
    def->by_camera = true;
    def->viewport_height = 1080.0f;
    def->fov_y = 1.0f;
    def->threshold_px = (float)random_length(state, 0.25, 16.0);
}

/* ---- what must hold ---- */

/* Decides group by group, from the groups' own records, and compares: then all members of a refined group stand for all
 * its products, nothing is drawn twice and nothing is missing (verify.c has the argument). */
static void check_decisions(trni_verify *v, uint32_t number, const trni_cut_eye *eye, const cut_memory *m) {
    const trn_model_data *data = v->data;
    for (uint32_t g = 0; g < data->info.group_count; g++)
        m->refined[g] =
            m->resident[data->groups[g].page] && trni_cut_refined(eye, data->groups[g].error, data->groups[g].sphere);
    for (uint32_t c = 0; c < data->info.cluster_count; c++) {
        const data_cluster *cluster = &data->clusters[c];
        bool no_own = cluster->own_group == TRNI_NO_GROUP, no_parent = cluster->parent_group == TRNI_NO_GROUP;
        bool own = !no_own && m->refined[cluster->own_group], parent = no_parent || m->refined[cluster->parent_group];
        if (own && !parent)
            trni_verify_fail(v, TRNI_PROOF_CUTS, "cut %u: group %u is refined, group %u, made from it, is not", number,
                             cluster->own_group, cluster->parent_group);
        if ((parent && !own) != (bool)m->drawn[c])
            trni_verify_fail(v, TRNI_PROOF_CUTS, "cut %u: cluster %u is %s, its groups say otherwise", number, c,
                             m->drawn[c] ? "drawn" : "not drawn");
    }
}

/* Marks open edges of the cut that lie on the real border of a level to which a drawn cluster with that edge belongs, or
 * where two real borders met of which the cut has one. */
static void mark_real_borders(trni_verify *v, const cut_memory *m) {
    const trn_model_data *data = v->data;
    for (uint32_t c = 0; c < data->info.cluster_count; c++) {
        const data_cluster *cluster = &data->clusters[c];
        const uint32_t *corner = data->corners + 3 * (size_t)cluster->first_triangle;
        for (uint32_t i = 0; m->drawn[c] && i < 3 * cluster->triangle_count; i++) {
            uint32_t a = corner[i], b = corner[i % 3 == 2 ? i - 2 : i + 1];
            if (a == b) continue;
            uint64_t *word = trni_edge_set_find(&v->edges, trni_edge_word(a, b));
            if (!(*word & TRNI_EDGE_ODD)) continue;
            if (*trni_edge_set_find(&v->met, *word) != 0) *word |= TRNI_EDGE_MARK;
            for (uint32_t l = cluster->born; l <= cluster->stored && !(*word & TRNI_EDGE_MARK); l++)
                if (*trni_edge_set_find(&v->odd[l], *word) != 0) *word |= TRNI_EDGE_MARK;
        }
    }
}

static trn_result check_edges(trni_verify *v, uint32_t number, const cut_memory *m) {
    const trn_model_data *data = v->data;
    size_t triangles = 0;
    for (uint32_t c = 0; c < data->info.cluster_count; c++)
        triangles += m->drawn[c] ? data->clusters[c].triangle_count : 0;
    if (!trni_edge_set_clear(&v->edges, &v->allocator, 3 * triangles)) return TRN_ERROR_OUT_OF_MEMORY;
    for (uint32_t c = 0; c < data->info.cluster_count; c++)
        if (m->drawn[c]) trni_verify_toggle(v, &v->edges, c, TRNI_EDGE_ODD);
    if (v->odd_count[0] != 0) mark_real_borders(v, m);
    uint64_t cracks = 0, first = 0;
    for (size_t i = 0; i < trni_edge_set_places(&v->edges); i++) {
        uint64_t word = v->edges.words[i];
        if (!(word & TRNI_EDGE_ODD) || (word & TRNI_EDGE_MARK)) continue;
        if (cracks++ == 0) first = word;
    }
    if (cracks == 0) return TRN_OK;
    uint32_t a = trni_edge_low(first), b = trni_edge_high(first);
    trni_verify_fail(
        v, TRNI_PROOF_CUTS,
        "cut %u of %llu triangles has %llu open edges that the source has not, one from (%.9g, %.9g, %.9g) to "
        "(%.9g, %.9g, %.9g)",
        number, (unsigned long long)triangles, (unsigned long long)cracks, data_coordinate(data, a, 0),
        data_coordinate(data, a, 1), data_coordinate(data, a, 2), data_coordinate(data, b, 0),
        data_coordinate(data, b, 1), data_coordinate(data, b, 2));
    return TRN_OK;
}

static trn_result check_cut(trni_verify *v, uint32_t number, const cut_memory *m) {
    const trn_model_data *data = v->data;
    uint64_t state = v->def.seed + (uint64_t)number * 0xd1342543de82ef95u;
    trn_cut_def def = {0};
    trni_cut_eye eye;
    if (number % 2)
        random_camera(data, &state, &def);
    else
        random_error(data, &state, &def);
    bool some_missing = number / 2 % 2;
    for (uint32_t p = 0; p < data->info.page_count; p++) m->missing[p] = some_missing && next_random(&state) % 4 == 0;
    trni_cut_close(data, m->missing, m->resident);
    if (trni_cut_eye_make(data, &def, &eye, NULL) != TRN_OK) {
        trni_verify_fail(v, TRNI_PROOF_CUTS, "cut %u: no camera fits a model of radius %g", number,
                         (double)data->info.sphere.radius);
        return TRN_OK;
    }
    trni_cut_select(data, &eye, m->resident, m->drawn);
    check_decisions(v, number, &eye, m);
    return check_edges(v, number, m);
}

trn_result trni_verify_cuts(trni_verify *v) {
    const trn_model_info *info = &v->data->info;
    cut_memory m = {.missing = TRNI_NEW_ARRAY(&v->allocator, uint8_t, info->page_count),
                    .resident = TRNI_NEW_ARRAY(&v->allocator, uint8_t, info->page_count),
                    .drawn = TRNI_NEW_ARRAY(&v->allocator, uint8_t, info->cluster_count),
                    .refined = TRNI_NEW_ARRAY(&v->allocator, uint8_t, info->group_count)};
    trn_result result = m.missing && m.resident && m.drawn && m.refined ? TRN_OK : TRN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < v->def.cuts && result == TRN_OK; i++) {
        result = check_cut(v, i, &m);
        if (result == TRN_OK) v->report->cuts_checked++;
        if (result == TRN_OK && !trni_verify_progress(v, "cuts", 0.5 + 0.5 * (i + 1) / v->def.cuts))
            result = TRN_ERROR_CANCELLED;
    }
    trni_free(&v->allocator, m.missing, info->page_count, 1);
    trni_free(&v->allocator, m.resident, info->page_count, 1);
    trni_free(&v->allocator, m.drawn, info->cluster_count, 1);
    trni_free(&v->allocator, m.refined, info->group_count, 1);
    return result;
}
