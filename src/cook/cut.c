/* SPDX-License-Identifier: MIT */
/* The cut: the clusters that the run time would draw, for one error or one camera, with any closed set of pages in
 * memory. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <terrane/shader/terrane_shared.h>

#include "model_data.h"

void trni_cut_close(const trn_model_data *data, const uint8_t *missing, uint8_t *resident) {
    for (uint32_t p = 0; p < data->info.page_count; p++) { /* what a page depends on comes before it */
        trn_model_page page;
        trn_model_get_page(data->tables, p, &page);
        resident[p] = page.level + 1 == data->info.level_count || !missing || !missing[p];
        for (uint32_t d = 0; d < page.dependency_count; d++) {
            uint32_t on;
            trn_model_get_dependency(data->tables, page.first_dependency + d, &on);
            resident[p] = resident[p] && resident[on];
        }
    }
}

static trn_result refuse(trn_error *error, const char *reason) {
    return trni_fail(error, TRN_ERROR_ARGUMENT, 0, 0, "a cut's %s", reason);
}

trn_result trni_cut_eye_make(const trn_model_data *data, const trn_cut_def *def, trni_cut_eye *eye, trn_error *error) {
    *eye = (trni_cut_eye){.by_camera = def->by_camera, .error = def->error};
    if (!def->by_camera) return def->error >= 0.0f ? TRN_OK : refuse(error, "error is a length of 0 or more");
    for (int axis = 0; axis < 3; axis++) {
        if (!(fabs(def->camera[axis]) <= (double)FLT_MAX)) return refuse(error, "camera is not in float range");
        eye->eye[axis] = (float)def->camera[axis];
    }
    double threshold = def->threshold_px > 0.0f || def->threshold_px < 0.0f ? (double)def->threshold_px : 1.0;
    if (!(threshold > 0.0) || !isfinite(def->threshold_px)) return refuse(error, "threshold is more than 0 pixels");
    if (!(def->viewport_height > 0.0f) || !isfinite(def->viewport_height))
        return refuse(error, "viewport is more than 0 pixels high");
    if (!(def->fov_y > 0.0f && def->fov_y < 3.14159f)) return refuse(error, "field of view is between 0 and pi");
    if (!(def->near_distance >= 0.0f) || !isfinite(def->near_distance))
        return refuse(error, "near distance is a length of 0 or more");
    double pixels = (double)def->viewport_height / (2.0 * tan((double)def->fov_y * 0.5)) / threshold;
    if (!(pixels <= (double)FLT_MAX)) return refuse(error, "threshold is too small for the viewport");
    eye->pixels_per_error = (float)pixels;
    eye->near_distance = def->near_distance > 0.0f ? def->near_distance : 1e-3f * data->info.sphere.radius;
    return TRN_OK;
}

bool trni_cut_refined(const trni_cut_eye *eye, float error, const float sphere[4]) {
    if (!eye->by_camera) return error > eye->error;
    return trn_refine_test(error, sphere[0], sphere[1], sphere[2], sphere[3], eye->eye[0], eye->eye[1], eye->eye[2],
                           eye->pixels_per_error, eye->near_distance);
}

void trni_cut_select(const trn_model_data *data, const trni_cut_eye *eye, const uint8_t *resident, uint8_t *drawn) {
    for (uint32_t c = 0; c < data->info.cluster_count; c++) {
        const data_cluster *cluster = &data->clusters[c];
        bool parent = (cluster->flags & TRN_CLUSTER_NO_PARENT_GROUP) ||
                      trni_cut_refined(eye, cluster->parent_error, cluster->parent_sphere);
        bool own = !(cluster->flags & TRN_CLUSTER_NO_OWN_GROUP) && resident[cluster->child_page] &&
                   trni_cut_refined(eye, cluster->own_error, cluster->own_sphere);
        drawn[c] = resident[cluster->page] && parent && !own;
    }
}

/* Counts what a cut has and numbers the positions that it uses. */
static void count(const trn_model_data *data, const uint8_t *drawn, uint32_t *numbers, trn_cut *cut) {
    memset(numbers, 0xff, (size_t)data->position_count * sizeof *numbers);
    for (uint32_t c = 0; c < data->info.cluster_count; c++) {
        const data_cluster *cluster = &data->clusters[c];
        if (!drawn[c]) continue;
        cut->cluster_count++;
        cut->triangle_count += cluster->triangle_count;
        const uint32_t *corner = data->corners + 3 * (size_t)cluster->first_triangle;
        for (uint32_t i = 0; i < 3 * cluster->triangle_count; i++)
            if (numbers[corner[i]] == UINT32_MAX) numbers[corner[i]] = cut->vertex_count++;
    }
}

static void fill(const trn_model_data *data, const uint8_t *drawn, const uint32_t *numbers, trn_cut *cut) {
    uint64_t triangle = 0;
    for (uint32_t c = 0; c < data->info.cluster_count; c++) {
        const data_cluster *cluster = &data->clusters[c];
        if (!drawn[c]) continue;
        const uint32_t *corner = data->corners + 3 * (size_t)cluster->first_triangle;
        for (uint32_t i = 0; i < 3 * cluster->triangle_count; i++) cut->indices[3 * triangle + i] = numbers[corner[i]];
        for (uint32_t t = 0; t < cluster->triangle_count; t++, triangle++) {
            cut->materials[triangle] = cluster->material;
            cut->clusters[triangle] = c;
        }
    }
    for (uint32_t p = 0; p < data->position_count; p++)
        for (int axis = 0; axis < 3 && numbers[p] != UINT32_MAX; axis++)
            cut->positions[3 * (size_t)numbers[p] + (size_t)axis] = data_coordinate(data, p, axis);
}

static trn_result build(const trn_model_data *data, const uint8_t *drawn, uint32_t *numbers, trn_cut *cut) {
    const trn_allocator *allocator = &cut->allocator;
    count(data, drawn, numbers, cut);
    size_t triangles = (size_t)cut->triangle_count;
    cut->positions = trni_alloc(allocator, (size_t)cut->vertex_count * 3, sizeof *cut->positions);
    cut->indices = trni_alloc(allocator, triangles * 3, sizeof *cut->indices);
    cut->materials = trni_alloc(allocator, triangles, sizeof *cut->materials);
    cut->clusters = trni_alloc(allocator, triangles, sizeof *cut->clusters);
    if (cut->positions && cut->indices && cut->materials && cut->clusters) {
        fill(data, drawn, numbers, cut);
        return TRN_OK;
    }
    trn_cut_free(cut);
    return TRN_ERROR_OUT_OF_MEMORY;
}

trn_result trn_cut_make(const trn_model_data *data, const trn_cut_def *def, trn_cut *made, trn_error *error) {
    if (!data || !def || !made) return TRN_ERROR_ARGUMENT;
    trni_cut_eye eye;
    trn_result result = trni_cut_eye_make(data, def, &eye, error);
    if (result != TRN_OK) return result;
    const trn_allocator *allocator = &data->allocator;
    uint8_t *resident = trni_alloc(allocator, data->info.page_count, sizeof *resident);
    uint8_t *drawn = trni_alloc(allocator, data->info.cluster_count, sizeof *drawn);
    uint32_t *numbers = trni_alloc(allocator, data->position_count, sizeof *numbers);
    trn_cut cut = {.allocator = data->allocator};
    result = TRN_ERROR_OUT_OF_MEMORY;
    if (resident && drawn && numbers) {
        trni_cut_close(data, def->missing, resident);
        trni_cut_select(data, &eye, resident, drawn);
        result = build(data, drawn, numbers, &cut);
    }
    trni_free(allocator, resident, data->info.page_count, sizeof *resident);
    trni_free(allocator, drawn, data->info.cluster_count, sizeof *drawn);
    trni_free(allocator, numbers, data->position_count, sizeof *numbers);
    if (result != TRN_OK) return trni_fail(error, result, 0, 0, "no memory for the cut");
    *made = cut;
    return TRN_OK;
}

void trn_cut_free(trn_cut *cut) {
    if (!cut) return;
    const trn_allocator allocator = cut->allocator;
    size_t triangles = (size_t)cut->triangle_count;
    trni_free(&allocator, cut->positions, (size_t)cut->vertex_count * 3, sizeof *cut->positions);
    trni_free(&allocator, cut->indices, triangles * 3, sizeof *cut->indices);
    trni_free(&allocator, cut->materials, triangles, sizeof *cut->materials);
    trni_free(&allocator, cut->clusters, triangles, sizeof *cut->clusters);
    *cut = (trn_cut){0};
}
