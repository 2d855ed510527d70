/* SPDX-License-Identifier: MIT */
/* The proofs that need no edges: STRUCTURE, STAMPS, MONOTONE, NESTED, PAGES. */
#include "verify_internal.h"

#include <math.h>
#include <string.h>
#include <terrane/shader/terrane_shared.h>

/* Distances are worked out in double from floats, so all that may be off is the last digits. */
#define ROUNDING 1e-7

/* ---- STRUCTURE ---- */

static void check_cluster(trni_verify *v, uint32_t c) {
    const data_cluster *cluster = &v->data->clusters[c];
    bool has_own = cluster->own_group != TRNI_NO_GROUP, has_parent = cluster->parent_group != TRNI_NO_GROUP;
    if (cluster->born > cluster->stored)
        trni_verify_fail(v, TRNI_PROOF_STRUCTURE, "cluster %u was made at level %u and lies in level %u", c,
                         cluster->born, cluster->stored);
    if (has_own != (cluster->born > 0))
        trni_verify_fail(v, TRNI_PROOF_STRUCTURE, "cluster %u of level %u has %s group that made it", c, cluster->born,
                         has_own ? "a" : "no");
    if (has_parent != (cluster->stored + 1 < v->data->info.level_count))
        trni_verify_fail(v, TRNI_PROOF_STRUCTURE, "cluster %u lies in level %u and has %s group that replaces it", c,
                         cluster->stored, has_parent ? "a" : "no");
    const uint32_t *corner = v->data->corners + 3 * (size_t)cluster->first_triangle;
    for (uint32_t t = 0; t < cluster->triangle_count; t++, corner += 3)
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            trni_verify_fail(v, TRNI_PROOF_STRUCTURE, "triangle %u of cluster %u has two corners at one place", t, c);
}

static void check_group(trni_verify *v, uint32_t g) {
    const data_group *group = &v->data->groups[g];
    uint32_t members = v->member_first[g + 1] - v->member_first[g];
    uint32_t products = v->product_first[g + 1] - v->product_first[g];
    if (members != group->member_count || products != group->product_count || members == 0 || products == 0)
        trni_verify_fail(v, TRNI_PROOF_STRUCTURE, "group %u says %u members and %u products, it has %u and %u", g,
                         group->member_count, group->product_count, members, products);
    for (uint32_t i = v->member_first[g]; i < v->member_first[g + 1]; i++)
        if (v->data->clusters[v->members[i]].page != group->page)
            trni_verify_fail(v, TRNI_PROOF_STRUCTURE, "cluster %u lies in page %u, its parent group %u in page %u",
                             v->members[i], v->data->clusters[v->members[i]].page, g, group->page);
}

static bool sphere_holds_point(const float sphere[4], const double point[3]) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double d = point[axis] - (double)sphere[axis];
        sum += d * d;
    }
    return sqrt(sum) <= (double)sphere[3] * (1.0 + ROUNDING);
}

static void model_sphere(const trn_sphere *from, float to[4]) {
    memcpy(to, from->center, sizeof from->center);
    to[3] = from->radius;
}

static void check_bounds(trni_verify *v) {
    float sphere[4];
    model_sphere(&v->data->info.sphere, sphere);
    const trn_box *box = &v->data->info.box;
    for (uint32_t p = 0; p < v->data->position_count; p++) {
        double point[3];
        bool inside = true;
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = data_coordinate(v->data, p, axis);
            /* The box is of floats, a coordinate need not be one. */
            double slack = ROUNDING * fabs(point[axis]);
            inside = inside && point[axis] >= (double)box->min[axis] - slack &&
                     point[axis] <= (double)box->max[axis] + slack;
        }
        if (inside && sphere_holds_point(sphere, point)) continue;
        trni_verify_fail(v, TRNI_PROOF_STRUCTURE, "position (%g, %g, %g) is outside the model's %s", point[0], point[1],
                         point[2], inside ? "sphere" : "box");
        return;
    }
}

static void check_level_counts(trni_verify *v) {
    for (uint32_t l = 0; l < v->data->info.level_count; l++) {
        trn_model_level level;
        trn_model_get_level(v->data->tables, l, &level);
        uint64_t clusters = 0, triangles = 0;
        for (uint32_t c = 0; c < v->data->info.cluster_count; c++)
            if (trni_verify_in_level(&v->data->clusters[c], l))
                clusters++, triangles += v->data->clusters[c].triangle_count;
        if (clusters != level.cluster_count || triangles != level.triangle_count)
            trni_verify_fail(v, TRNI_PROOF_STRUCTURE | TRNI_PROOF_LEVELS,
                             "level %u says %u clusters and %llu triangles, it has %llu and %llu", l,
                             level.cluster_count, (unsigned long long)level.triangle_count,
                             (unsigned long long)clusters, (unsigned long long)triangles);
    }
}

void trni_verify_structure(trni_verify *v) {
    for (uint32_t c = 0; c < v->data->info.cluster_count; c++) check_cluster(v, c);
    for (uint32_t g = 0; g < v->data->info.group_count; g++) check_group(v, g);
    check_level_counts(v);
    check_bounds(v);
}

/* ---- STAMPS ---- */

/* Errors and spheres are compared bit by bit: the same numbers give the same decision on every device. */
static bool same_stamp(float error, const float sphere[4], const data_group *group) {
    return memcmp(&error, &group->error, sizeof error) == 0 && memcmp(sphere, group->sphere, sizeof group->sphere) == 0;
}

void trni_verify_stamps(trni_verify *v) {
    for (uint32_t c = 0; c < v->data->info.cluster_count; c++) {
        const data_cluster *cluster = &v->data->clusters[c];
        if (cluster->parent_group != TRNI_NO_GROUP) {
            const data_group *parent = &v->data->groups[cluster->parent_group];
            if (!same_stamp(cluster->parent_error, cluster->parent_sphere, parent))
                trni_verify_fail(v, TRNI_PROOF_STAMPS,
                                 "cluster %u: parent error %.9g or sphere is not that of group %u, %.9g", c,
                                 (double)cluster->parent_error, cluster->parent_group, (double)parent->error);
            if (cluster->page != parent->page || cluster->stored != parent->level)
                trni_verify_fail(v, TRNI_PROOF_STAMPS,
                                 "cluster %u lies in page %u, level %u; its parent group %u in %u, %u", c,
                                 cluster->page, cluster->stored, cluster->parent_group, parent->page, parent->level);
        }
        if (cluster->own_group != TRNI_NO_GROUP) {
            const data_group *own = &v->data->groups[cluster->own_group];
            if (!same_stamp(cluster->own_error, cluster->own_sphere, own))
                trni_verify_fail(v, TRNI_PROOF_STAMPS,
                                 "cluster %u: own error %.9g or sphere is not that of group %u, %.9g", c,
                                 (double)cluster->own_error, cluster->own_group, (double)own->error);
            if (cluster->child_page != own->page || cluster->born != own->level + 1)
                trni_verify_fail(
                    v, TRNI_PROOF_STAMPS,
                    "cluster %u names child page %u and was made at level %u; its own group %u is in %u, %u", c,
                    cluster->child_page, cluster->born, cluster->own_group, own->page, own->level);
        }
    }
}

/* ---- MONOTONE, NESTED ---- */

void trni_verify_monotone(trni_verify *v) {
    for (uint32_t c = 0; c < v->data->info.cluster_count; c++) {
        const data_cluster *cluster = &v->data->clusters[c];
        if (cluster->own_group == TRNI_NO_GROUP || cluster->parent_group == TRNI_NO_GROUP) continue;
        const data_group *own = &v->data->groups[cluster->own_group], *parent = &v->data->groups[cluster->parent_group];
        if (!(own->error <= parent->error))
            trni_verify_fail(v, TRNI_PROOF_MONOTONE, "group %u of error %.9g was made from group %u of error %.9g",
                             cluster->parent_group, (double)parent->error, cluster->own_group, (double)own->error);
    }
}

static bool sphere_holds_sphere(const float outer[4], const float inner[4]) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double d = (double)inner[axis] - (double)outer[axis];
        sum += d * d;
    }
    return sqrt(sum) + (double)inner[3] <= (double)outer[3] * (1.0 + ROUNDING);
}

static bool sphere_holds_triangles(const trn_model_data *data, const float sphere[4], const data_cluster *cluster) {
    const uint32_t *corner = data->corners + 3 * (size_t)cluster->first_triangle;
    for (uint32_t i = 0; i < 3 * cluster->triangle_count; i++) {
        double point[3];
        for (int axis = 0; axis < 3; axis++) point[axis] = data_coordinate(data, corner[i], axis);
        if (!sphere_holds_point(sphere, point)) return false;
    }
    return true;
}

void trni_verify_nested(trni_verify *v) {
    const trn_model_data *data = v->data;
    for (uint32_t c = 0; c < data->info.cluster_count; c++) {
        const data_cluster *cluster = &data->clusters[c];
        const float *own = cluster->own_group == TRNI_NO_GROUP ? NULL : data->groups[cluster->own_group].sphere;
        const float *parent =
            cluster->parent_group == TRNI_NO_GROUP ? NULL : data->groups[cluster->parent_group].sphere;
        if (own && parent && !sphere_holds_sphere(parent, own))
            trni_verify_fail(v, TRNI_PROOF_NESTED, "the sphere of group %u does not enclose that of group %u",
                             cluster->parent_group, cluster->own_group);
        if (parent && !sphere_holds_triangles(data, parent, cluster))
            trni_verify_fail(v, TRNI_PROOF_NESTED, "the sphere of group %u does not enclose its cluster %u",
                             cluster->parent_group, c);
        if (own && !sphere_holds_triangles(data, own, cluster))
            trni_verify_fail(v, TRNI_PROOF_NESTED, "the sphere of group %u does not enclose cluster %u, which it made",
                             cluster->own_group, c);
        if (!sphere_holds_triangles(data, cluster->cull_sphere, cluster))
            trni_verify_fail(v, TRNI_PROOF_NESTED, "the cull sphere of cluster %u does not enclose it", c);
    }
}

/* ---- PAGES ---- */

static void check_group_bounds(trni_verify *v, uint32_t g, const char *what, uint32_t index, float error,
                               const trn_sphere *sphere) {
    const data_group *group = &v->data->groups[g];
    float outer[4];
    model_sphere(sphere, outer);
    if (!(group->error <= error))
        trni_verify_fail(v, TRNI_PROOF_PAGES, "%s %u has parent error %.9g, its group %u has %.9g", what, index,
                         (double)error, g, (double)group->error);
    if (!sphere_holds_sphere(outer, group->sphere))
        trni_verify_fail(v, TRNI_PROOF_PAGES, "the sphere of %s %u does not enclose that of its group %u", what, index,
                         g);
}

static void check_page(trni_verify *v, uint32_t p, uint32_t *depends) {
    trn_model_page page;
    trn_model_level level;
    trn_model_get_page(v->data->tables, p, &page);
    trn_model_get_level(v->data->tables, page.level, &level);
    for (uint32_t d = 0; d < page.dependency_count; d++) {
        uint32_t on;
        trn_model_get_dependency(v->data->tables, page.first_dependency + d, &on);
        depends[on] = p;
    }
    for (uint32_t g = page.first_group; g < page.first_group + page.group_count; g++) {
        check_group_bounds(v, g, "page", p, page.parent_error, &page.sphere);
        check_group_bounds(v, g, "level", page.level, level.parent_error, &level.sphere);
        for (uint32_t i = v->product_first[g]; i < v->product_first[g + 1]; i++) {
            uint32_t on = v->data->clusters[v->products[i]].page;
            if (depends[on] != p)
                trni_verify_fail(v, TRNI_PROOF_PAGES,
                                 "page %u does not depend on page %u, where cluster %u of its group %u is", p, on,
                                 v->products[i], g);
        }
    }
}

trn_result trni_verify_pages(trni_verify *v) {
    uint32_t page_count = v->data->info.page_count;
    /* By page: the last one that depends on it. */
    uint32_t *depends = trni_alloc(&v->allocator, page_count, sizeof *depends);
    if (!depends) return TRN_ERROR_OUT_OF_MEMORY;
    memset(depends, 0xff, page_count * sizeof *depends);
    for (uint32_t p = 0; p < page_count; p++) check_page(v, p, depends);
    trni_free(&v->allocator, depends, page_count, sizeof *depends);
    for (uint32_t c = 0; c < v->data->info.cluster_count; c++) {
        const data_cluster *cluster = &v->data->clusters[c];
        trn_model_level level;
        trn_model_get_level(v->data->tables, cluster->stored, &level);
        if (!(cluster->own_error <= level.own_error))
            trni_verify_fail(v, TRNI_PROOF_PAGES, "level %u has own error %.9g, its cluster %u has %.9g",
                             cluster->stored, (double)level.own_error, c, (double)cluster->own_error);
    }
    return TRN_OK;
}
