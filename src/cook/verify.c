/* SPDX-License-Identifier: MIT */
/* trn_cook_verify: runs the proofs one after another over a loaded model and collects what they found.
 *
 * Together they show that no cut has a crack. A cut is decided group by group: a group is refined (its members stand for
 * it) or not (its products do). STAMPS: both sides of a group decide by the same numbers, so alike. MONOTONE, NESTED and
 * PAGES: when a group is refined, so is every group that its products went into. So each cut comes from the coarsest level,
 * which is whole (LEVELS), by replacing all products of a group by all its members, and that leaves every edge of its
 * border in place (BORDERS). CUTS then looks at the result itself, on random cuts. */
#include "verify_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ALL_PROOFS (TRNI_PROOF_CUTS * 2u - 1u)

void trni_verify_fail(trni_verify *verify, uint32_t proofs, const char *format, ...) {
    verify->report->failed |= proofs;
    if (verify->report->text[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verify->report->text, sizeof verify->report->text, format, arguments);
    va_end(arguments);
}

bool trni_verify_progress(const trni_verify *verify, const char *phase, double done) {
    return !verify->def.progress || verify->def.progress(verify->def.progress_user, phase, (float)done);
}

void trni_verify_toggle(const trni_verify *verify, const trni_edge_set *set, uint32_t index, uint64_t bits) {
    const data_cluster *cluster = &verify->data->clusters[index];
    const uint32_t *corner = verify->data->corners + 3 * (size_t)cluster->first_triangle;
    for (uint32_t t = 0; t < cluster->triangle_count; t++, corner += 3) {
        trni_edge_set_toggle(set, corner[0], corner[1], bits);
        trni_edge_set_toggle(set, corner[1], corner[2], bits);
        trni_edge_set_toggle(set, corner[2], corner[0], bits);
    }
}

static uint32_t group_of(const data_cluster *cluster, bool parent) {
    return parent ? cluster->parent_group : cluster->own_group;
}

/* Sorts the clusters by group (counting sort). */
static bool index_groups(trni_verify *verify, bool parent, uint32_t **firsts, uint32_t **lists) {
    const trn_model_data *data = verify->data;
    uint32_t *first = *firsts = TRNI_NEW_ARRAY(&verify->allocator, uint32_t, (size_t)data->info.group_count + 1);
    uint32_t *list = *lists = trni_alloc(&verify->allocator, data->info.cluster_count, sizeof *list);
    if (!first || !list) return false;
    for (uint32_t c = 0; c < data->info.cluster_count; c++) {
        uint32_t group = group_of(&data->clusters[c], parent);
        if (group != TRNI_NO_GROUP) first[group]++;
    }
    for (uint32_t g = 0, sum = 0; g <= data->info.group_count; g++) first[g] = sum += first[g];
    for (uint32_t c = data->info.cluster_count; c-- > 0;) { /* ends become starts */
        uint32_t group = group_of(&data->clusters[c], parent);
        if (group != TRNI_NO_GROUP) list[--first[group]] = c;
    }
    return true;
}

static trn_result run(trni_verify *verify) {
    if (!index_groups(verify, true, &verify->member_first, &verify->members) ||
        !index_groups(verify, false, &verify->product_first, &verify->products))
        return TRN_ERROR_OUT_OF_MEMORY;
    if (!trni_verify_progress(verify, "records", 0.0)) return TRN_ERROR_CANCELLED;
    trni_verify_structure(verify);
    trni_verify_stamps(verify);
    trni_verify_monotone(verify);
    trni_verify_nested(verify);
    trn_result result = trni_verify_pages(verify);
    if (result == TRN_OK) result = trni_verify_levels(verify);
    if (result == TRN_OK) result = trni_verify_borders(verify);
    if (result == TRN_OK) result = trni_verify_cuts(verify);
    return result;
}

static void free_all(trni_verify *verify) {
    const trn_allocator *allocator = &verify->allocator;
    size_t groups = (size_t)verify->data->info.group_count + 1, clusters = verify->data->info.cluster_count;
    trni_free(allocator, verify->member_first, groups, sizeof(uint32_t));
    trni_free(allocator, verify->members, clusters, sizeof(uint32_t));
    trni_free(allocator, verify->product_first, groups, sizeof(uint32_t));
    trni_free(allocator, verify->products, clusters, sizeof(uint32_t));
    trni_free(allocator, verify->met_list, verify->met_capacity, sizeof(uint64_t));
    trni_edge_set_free(&verify->edges, allocator);
    trni_edge_set_free(&verify->rim, allocator);
    trni_edge_set_free(&verify->met, allocator);
    for (uint32_t l = 0; l < TRNI_VERIFY_LEVELS; l++) {
        trni_free(allocator, verify->odd_owner[l], trni_edge_set_places(&verify->odd[l]), sizeof(uint32_t));
        trni_edge_set_free(&verify->odd[l], allocator);
    }
}

trn_result trn_cook_verify_sized(const trn_model_data *data, const trn_verify_def *def, size_t def_size,
                                 trn_verify_report *report) {
    trni_verify verify = {.data = data, .report = report};
    if (!data || !report || !trni_def_read(&verify.def, sizeof verify.def, def, def_size) ||
        !trni_allocator_make(&verify.allocator, &verify.def.allocator))
        return TRN_ERROR_ARGUMENT;
    if (verify.def.cuts == 0) verify.def.cuts = 32;
    memset(report, 0, sizeof *report);
    trn_result result = run(&verify);
    free_all(&verify);
    if (result == TRN_OK) report->passed = ALL_PROOFS & ~report->failed;
    return result;
}
