/* SPDX-License-Identifier: MIT */
/* trn_cook: reads the definition, runs the steps, frees what they used. */
#include "cook_internal.h"

#include <math.h>
#include <string.h>

bool trni_cook_progress(trni_cook *cook, const char *phase, double done) {
    return !cook->def.progress || cook->def.progress(cook->def.progress_user, phase, (float)done);
}

static void cook_free(trni_cook *cook) {
    trni_array *arrays[] = {&cook->positions, &cook->cells, &cook->border_locks, &cook->wedges, &cook->wedge_positions,
                            &cook->wedge_attributes, &cook->parts, &cook->corners, &cook->triangle_parts, &cook->clusters,
                            &cook->cluster_vertices, &cook->cluster_corners, &cook->groups};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) trni_array_free(&cook->allocator, arrays[i]);
}

static trn_result settle_def(trn_cook_def *def, trn_error *error) {
    if (def->levels == 0) def->levels = 1;
    if (def->levels == TRN_COOK_LEVELS_AUTO) def->levels = TRNI_MAX_LEVELS;
    if (def->levels > TRNI_MAX_LEVELS)
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "levels is %u; 1 to 64 or TRN_COOK_LEVELS_AUTO", def->levels);
    if (def->group_size == 0) def->group_size = 8;
    if (def->group_size < 2 || def->group_size > 64)
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "group_size is %u; 2 to 64", def->group_size);
    if (def->error_rule == TRN_ERROR_RULE_DEFAULT) def->error_rule = TRN_ERROR_RULE_ADDITIVE;
    if (def->error_rule != TRN_ERROR_RULE_ADDITIVE && def->error_rule != TRN_ERROR_RULE_MAX)
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "error_rule is %d, which is none", (int)def->error_rule);
    if (!isfinite(def->normal_weight) || !isfinite(def->uv_weight))
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "a weight is not finite");
    if (!(def->normal_weight < 0) && !(def->normal_weight > 0)) def->normal_weight = 0.5f;
    if (!(def->uv_weight < 0) && !(def->uv_weight > 0)) def->uv_weight = 0.5f;
    return TRN_OK;
}

static trn_result run(trni_cook *cook, const trn_cook_mesh *mesh, void **bytes, uint64_t *size, trn_error *error) {
    if (!trni_cook_progress(cook, "prepare", 0)) return TRN_ERROR_CANCELLED;
    trn_result result = trni_cook_prepare(cook, mesh, error);
    if (result == TRN_OK && !trni_cook_progress(cook, "clusters", 0.05)) result = TRN_ERROR_CANCELLED;
    if (result == TRN_OK) result = trni_dag_build(cook, error);
    if (result == TRN_OK && !trni_cook_progress(cook, "write", 0.95)) result = TRN_ERROR_CANCELLED;
    if (result == TRN_OK) result = trni_cook_write(cook, mesh, bytes, size, error);
    return result;
}

trn_result trn_cook_sized(const trn_cook_def *def, size_t def_size, const trn_cook_mesh *mesh, size_t mesh_size,
                          trn_cooked *cooked, trn_error *error) {
    trni_cook cook = {0};
    trn_cook_mesh input;
    trni_counter counter = {0};
    if (!trni_def_read(&cook.def, sizeof cook.def, def, def_size) || !trni_def_read(&input, sizeof input, mesh, mesh_size))
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "made for a newer version of this library");
    if (!mesh || !cooked) return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "no mesh, or nowhere to put the result");
    if (!trni_allocator_make(&counter.inner, &cook.def.allocator))
        return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "an allocator needs both functions or none");
    cook.allocator = trni_counter_hook(&counter);
    cook.name = cook.def.name ? cook.def.name : "mesh";
    trn_result result = settle_def(&cook.def, error);
    if (result != TRN_OK) return result;

    void *bytes = NULL;
    uint64_t size = 0;
    trn_error reason = {.text = ""};
    result = run(&cook, &input, &bytes, &size, &reason);
    cook_free(&cook);
    if (result != TRN_OK) {
        if (!reason.text[0]) trni_fail(&reason, result, 0, 0, "%s: %s", cook.name, trn_result_text(result));
        if (error) *error = reason;
        return result;
    }
    cooked->bytes = bytes;
    cooked->size = size;
    cooked->stats = cook.stats;
    cooked->stats.peak_bytes = counter.peak;
    cooked->allocator = counter.inner;
    return TRN_OK;
}

void trn_cooked_free(trn_cooked *cooked) {
    if (!cooked) return;
    if (cooked->bytes) trni_free(&cooked->allocator, cooked->bytes, (size_t)cooked->size, 1);
    memset(cooked, 0, sizeof *cooked);
}
