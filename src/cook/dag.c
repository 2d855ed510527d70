/* SPDX-License-Identifier: MIT */
/* The levels: group what is active, simplify each group, cut it into clusters again.
 *
 * Active at level L are the clusters that L's groups made and those that were stuck before. A group that gets smaller
 * replaces its members: both sides carry its error and its sphere. A stuck cluster stays active, belongs to the next
 * level too, and is grouped anew with whoever is near it there. */
#include "cook_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LEAST_REDUCTION(triangles) ((triangles) - (triangles) / 20) /* a step must leave fewer than this */

typedef struct dag {
    trni_cook *cook;
    trni_simplifier simplifier;
    trni_cluster_scratch clustering;
    trni_grouping grouping;
    trni_array active; /* u32 clusters */
    uint32_t active_count;
    trni_array next;
    trni_array members; /* u32 clusters of one group */
    trni_array part_seen;
    trni_array split; /* u32: wedges of the triangles of one part */
    trni_array spheres;
} dag;

static void dag_free(dag *d) {
    const trn_allocator *allocator = &d->cook->allocator;
    trni_simplifier_free(allocator, &d->simplifier);
    trni_cluster_scratch_free(allocator, &d->clustering);
    trni_grouping_free(allocator, &d->grouping);
    trni_array *arrays[] = {&d->active, &d->next, &d->members, &d->part_seen, &d->split, &d->spheres};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) trni_array_free(allocator, arrays[i]);
}

static trni_cook_cluster *cluster_at(const trni_cook *cook, uint32_t index) {
    return (trni_cook_cluster *)cook->clusters.data + index;
}

static uint64_t count_triangles(const trni_cook *cook, const uint32_t *clusters, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += cluster_at(cook, clusters[i])->triangle_count;
    return sum;
}

/* Parts that still have a cluster. */
static uint32_t count_parts(const dag *d) {
    uint8_t *seen = d->part_seen.data;
    const uint32_t *active = d->active.data;
    uint32_t count = 0;
    memset(seen, 0, d->cook->part_count);
    for (uint32_t i = 0; i < d->active_count; i++) {
        uint32_t part = cluster_at(d->cook, active[i])->part;
        count += !seen[part];
        seen[part] = 1;
    }
    return count;
}

/* Smallest float that is not below a length. */
static float round_up(double length) {
    float rounded = (float)length;
    return (double)rounded < length ? nextafterf(rounded, FLT_MAX) : rounded;
}

/* Error and sphere of a new group. The clusters that a group makes lie among the vertices of its members, so for
 * members that a group made, that group's sphere is all there is to enclose. */
static trn_result stamp(dag *d, uint32_t count, double step_error, trni_cook_group *group) {
    const trni_cook *cook = d->cook;
    const trni_cook_group *groups = cook->groups.data;
    const uint32_t *members = d->members.data;
    const float *positions = cook->positions.data;
    const uint32_t *wedge_positions = cook->wedge_positions.data;
    if (!trni_array_reserve(&cook->allocator, &d->spheres, (size_t)count * TRNI_CLUSTER_VERTICES, 4 * sizeof(double)))
        return TRN_ERROR_OUT_OF_MEMORY;
    double *spheres = d->spheres.data, largest = 0;
    size_t sphere_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const trni_cook_cluster *cluster = cluster_at(cook, members[i]);
        if (cluster->own_group != TRNI_NONE) {
            const trni_cook_group *own = &groups[cluster->own_group];
            for (size_t k = 0; k < 3; k++) spheres[4 * sphere_count + k] = (double)own->sphere.center[k];
            spheres[4 * sphere_count++ + 3] = (double)own->sphere.radius;
            if (own->raw_error > largest) largest = own->raw_error;
            continue;
        }
        const uint32_t *vertices = (const uint32_t *)cook->cluster_vertices.data + cluster->first_vertex;
        for (uint32_t v = 0; v < cluster->vertex_count; v++) {
            for (size_t k = 0; k < 3; k++)
                spheres[4 * sphere_count + k] = (double)positions[3 * (size_t)wedge_positions[vertices[v]] + k];
            spheres[4 * sphere_count++ + 3] = 0;
        }
    }
    trni_sphere_enclose(spheres, sphere_count, &group->sphere);
    if (cook->def.error_rule == TRN_ERROR_RULE_MAX) group->raw_error = step_error > largest ? step_error : largest;
    else group->raw_error = largest + step_error;
    group->error = round_up(group->raw_error + (double)cook->quantisation_error);
    return TRN_OK;
}

/* Cuts what simplify left in its patch into clusters, part after part in the order of their first triangles. */
static trn_result split_again(dag *d, uint32_t level, uint32_t group) {
    const trni_patch *patch = &d->simplifier.patch;
    const uint32_t *corners = patch->out_corners.data, *wedges = patch->vertex_wedges.data;
    uint32_t *parts = patch->out_parts.data;
    if (!trni_array_reserve(&d->cook->allocator, &d->split, 3 * patch->out_count, sizeof(uint32_t)))
        return TRN_ERROR_OUT_OF_MEMORY;
    uint32_t *split = d->split.data;
    for (size_t begin = 0; begin < patch->out_count; begin++) {
        uint32_t part = parts[begin];
        if (part == TRNI_NONE) continue;
        size_t count = 0;
        for (size_t t = begin; t < patch->out_count; t++) {
            if (parts[t] != part) continue;
            for (size_t k = 0; k < 3; k++) split[3 * count + k] = wedges[corners[3 * t + k]];
            parts[t] = TRNI_NONE;
            count++;
        }
        trn_result result = trni_cluster_build(d->cook, &d->clustering, split, count, part, level, group);
        if (result != TRN_OK) return result;
    }
    return TRN_OK;
}

/* Tries one group; its products or, when stuck, its members go to the next level. */
static trn_result run_group(dag *d, uint32_t number, uint32_t level, uint32_t *next_count) {
    trni_cook *cook = d->cook;
    const uint32_t *first = d->grouping.first.data, *grouped = d->grouping.members.data, *active = d->active.data;
    uint32_t count = first[number + 1] - first[number], *members = d->members.data, *next = d->next.data;
    for (uint32_t i = 0; i < count; i++) members[i] = active[grouped[first[number] + i]];
    trni_simplified outcome;
    double step_error;
    trn_result result = trni_simplify_group(cook, &d->simplifier, members, count, number, &outcome, &step_error);
    if (result != TRN_OK) return result;
    if (outcome == TRNI_STUCK) {
        for (uint32_t i = 0; i < count; i++) next[(*next_count)++] = members[i];
        return TRN_OK;
    }
    if (!trni_array_reserve(&cook->allocator, &cook->groups, (size_t)cook->group_count + 1, sizeof(trni_cook_group)))
        return TRN_ERROR_OUT_OF_MEMORY;
    trni_cook_group *group = (trni_cook_group *)cook->groups.data + cook->group_count;
    memset(group, 0, sizeof *group);
    result = stamp(d, count, step_error, group);
    if (result != TRN_OK) return result;
    uint32_t before = cook->cluster_count;
    result = split_again(d, level + 1, cook->group_count);
    if (result != TRN_OK) return result;
    group->level = level;
    group->member_count = count;
    group->product_count = cook->cluster_count - before;
    for (uint32_t i = 0; i < count; i++) cluster_at(cook, members[i])->parent_group = cook->group_count;
    /* The step may make more clusters than it had (other materials' borders, vertex limits). */
    if (!trni_array_reserve(&cook->allocator, &d->next, (size_t)*next_count + group->product_count + d->active_count,
                            sizeof(uint32_t)))
        return TRN_ERROR_OUT_OF_MEMORY;
    next = d->next.data;
    for (uint32_t i = before; i < cook->cluster_count; i++) next[(*next_count)++] = i;
    cook->group_count++;
    cook->stats.fallback_groups += outcome == TRNI_REDUCED_BY_FALLBACK;
    return TRN_OK;
}

/* What a step changed, to take it back. */
typedef struct mark {
    uint32_t clusters, groups, fallback_groups;
    size_t vertices, corners;
} mark;

static void undo(dag *d, const mark *before) {
    trni_cook *cook = d->cook;
    const uint32_t *active = d->active.data;
    for (uint32_t i = 0; i < d->active_count; i++) cluster_at(cook, active[i])->parent_group = TRNI_NONE;
    cook->cluster_count = before->clusters;
    cook->group_count = before->groups;
    cook->stats.fallback_groups = before->fallback_groups;
    cook->cluster_vertex_count = before->vertices;
    cook->cluster_corner_count = before->corners;
}

/* One level. `done`: the levels end here. */
static trn_result run_level(dag *d, uint32_t level, uint64_t source_triangles, bool *done) {
    trni_cook *cook = d->cook;
    const trn_allocator *allocator = &cook->allocator;
    *done = true;
    if (d->active_count <= count_parts(d)) return TRN_OK;
    uint32_t group_size = cook->def.group_size;
    trn_result result = trni_group_clusters(cook, d->active.data, d->active_count, group_size, &d->grouping);
    if (result != TRN_OK) return result;
    result = trni_simplify_begin(cook, &d->simplifier, d->active.data, &d->grouping);
    if (result != TRN_OK) return result;
    if (!trni_array_reserve(allocator, &d->next, 2 * (size_t)d->active_count, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &d->members, d->active_count, sizeof(uint32_t)))
        return TRN_ERROR_OUT_OF_MEMORY;
    mark before = {cook->cluster_count, cook->group_count, cook->stats.fallback_groups, cook->cluster_vertex_count,
                   cook->cluster_corner_count};
    uint64_t triangles = count_triangles(cook, d->active.data, d->active_count), tried = 0;
    uint32_t next_count = 0;
    const uint32_t *first = d->grouping.first.data;
    for (uint32_t g = 0; g < d->grouping.group_count; g++) {
        result = run_group(d, g, level, &next_count);
        if (result != TRN_OK) return result;
        tried += first[g + 1] - first[g];
        /* Levels halve, so all of them together are about twice level 0. */
        double left = (double)triangles * (2.0 - (double)tried / d->active_count);
        double share = 1.0 - left / (2.0 * (double)source_triangles);
        if (!trni_cook_progress(cook, "levels", 0.1 + 0.85 * (share > 0 ? share : 0))) return TRN_ERROR_CANCELLED;
    }
    if (count_triangles(cook, d->next.data, next_count) >= LEAST_REDUCTION(triangles)) {
        undo(d, &before);
        return TRN_OK;
    }
    uint32_t *next = d->next.data;
    for (uint32_t i = 0; i < next_count; i++) cluster_at(cook, next[i])->last = level + 1;
    trni_array swap = d->active;
    d->active = d->next;
    d->next = swap;
    d->active_count = next_count;
    cook->level_count = level + 2;
    cook->level_first_group[level + 1] = cook->group_count;
    *done = false;
    return TRN_OK;
}

static trn_result build(dag *d) {
    trni_cook *cook = d->cook;
    const trn_allocator *allocator = &cook->allocator;
    trn_result result = trni_cluster_source(cook);
    if (result != TRN_OK) return result;
    if (!trni_cook_progress(cook, "clusters", 0.1)) return TRN_ERROR_CANCELLED;
    d->active_count = cook->cluster_count;
    if (!trni_array_reserve(allocator, &d->active, d->active_count, sizeof(uint32_t)) ||
        !trni_array_reserve(allocator, &d->part_seen, cook->part_count, 1))
        return TRN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < d->active_count; i++) ((uint32_t *)d->active.data)[i] = i;
    cook->level_count = 1;
    bool done = false;
    for (uint32_t level = 0; level + 1 < cook->def.levels && !done; level++) {
        result = run_level(d, level, cook->triangle_count, &done);
        if (result != TRN_OK) return result;
    }
    cook->level_first_group[cook->level_count] = cook->group_count; /* the coarsest level has none */
    return TRN_OK;
}

/* What must hold whatever the mesh was. */
static trn_result check(const trni_cook *cook, trn_error *error) {
    const trni_cook_group *groups = cook->groups.data;
    uint32_t coarsest = cook->level_count - 1;
    uint64_t members = 0, products = 0, replaced = 0, made = 0;
    for (uint32_t g = 0; g < cook->group_count; g++) {
        members += groups[g].member_count;
        products += groups[g].product_count;
        if (!isfinite(groups[g].error) || !isfinite(groups[g].sphere.radius) || groups[g].product_count == 0)
            return trni_fail(error, TRN_ERROR_INTERNAL, g, 0, "%s: group %u came out without sense", cook->name, g);
    }
    for (uint32_t i = 0; i < cook->cluster_count; i++) {
        const trni_cook_cluster *cluster = cluster_at(cook, i);
        bool has_own = cluster->own_group != TRNI_NONE, has_parent = cluster->parent_group != TRNI_NONE;
        made += has_own;
        replaced += has_parent;
        bool ok = has_own == (cluster->born > 0) && has_parent == (cluster->last < coarsest) && cluster->last >= cluster->born;
        if (ok && has_own) ok = groups[cluster->own_group].level + 1 == cluster->born;
        if (ok && has_parent) ok = groups[cluster->parent_group].level == cluster->last;
        if (ok && has_own && has_parent) ok = groups[cluster->own_group].error <= groups[cluster->parent_group].error;
        if (!ok) return trni_fail(error, TRN_ERROR_INTERNAL, i, 0, "%s: cluster %u came out without sense", cook->name, i);
    }
    if (members != replaced || products != made)
        return trni_fail(error, TRN_ERROR_INTERNAL, 0, 0, "%s: groups and clusters do not add up", cook->name);
    return TRN_OK;
}

trn_result trni_dag_build(trni_cook *cook, trn_error *error) {
    dag d = {.cook = cook};
    trn_result result = build(&d);
    dag_free(&d);
    return result == TRN_OK ? check(cook, error) : result;
}
