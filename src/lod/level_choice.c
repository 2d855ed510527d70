/* SPDX-License-Identifier: MIT */
/* Which pages of a model the views need. A page is needed while its largest parent error covers more than the threshold
 * at the nearest point of its sphere: the very test by which its clusters are drawn, so that what is loaded is what the
 * GPU asks for. */
#include "lod_internal.h"

#include <math.h>
#include <terrane/shader/terrane_shared.h>

static bool is_finite_number(double value) { return value - value == 0.0; }

bool trni_view_valid(const trn_view *view) {
    for (int axis = 0; axis < 3; axis++)
        if (!is_finite_number(view->position[axis])) return false;
    bool orthographic = view->ortho_height != 0.0f;
    bool lens = orthographic ? view->ortho_height > 0.0f && is_finite_number(view->ortho_height)
                             : view->fov_y > 0.0f && view->fov_y < 3.14159f;
    return lens && view->near_plane >= 0.0f && is_finite_number(view->near_plane) && view->viewport_height > 0.0f &&
           is_finite_number(view->viewport_height) && view->threshold_px >= 0.0f &&
           is_finite_number(view->threshold_px);
}

bool trni_pose_make(trn_pose *to, const trn_pose *from) {
    double length_squared = 0.0;
    for (int axis = 0; axis < 3; axis++)
        if (!is_finite_number(from->position[axis])) return false;
    for (int i = 0; i < 4; i++) length_squared += (double)from->rotation[i] * from->rotation[i];
    *to = *from;
    if (length_squared == 0.0) {
        to->rotation[3] = 1.0f;
        return true;
    }
    double length = sqrt(length_squared);
    if (!(fabs(length - 1.0) <= 1e-3)) return false;
    for (int i = 0; i < 4; i++) to->rotation[i] = (float)(from->rotation[i] / length);
    return true;
}

/* Rows of the rotation matrix of a unit quaternion. */
static void rotation_rows(const float q[4], double rows[3][3]) {
    double x = q[0], y = q[1], z = q[2], w = q[3];
    rows[0][0] = 1 - 2 * (y * y + z * z), rows[0][1] = 2 * (x * y - z * w), rows[0][2] = 2 * (x * z + y * w);
    rows[1][0] = 2 * (x * y + z * w), rows[1][1] = 1 - 2 * (x * x + z * z), rows[1][2] = 2 * (y * z - x * w);
    rows[2][0] = 2 * (x * z - y * w), rows[2][1] = 2 * (y * z + x * w), rows[2][2] = 1 - 2 * (x * x + y * y);
}

void trni_pose_matrix(const trn_pose *pose, float scale, const double origin[3], float matrix[16]) {
    double rows[3][3];
    rotation_rows(pose->rotation, rows);
    for (int column = 0; column < 3; column++) {
        for (int row = 0; row < 3; row++) matrix[column * 4 + row] = (float)(rows[row][column] * scale);
        matrix[column * 4 + 3] = 0.0f;
    }
    for (int row = 0; row < 3; row++) matrix[12 + row] = (float)(pose->position[row] - origin[row]);
    matrix[15] = 1.0f;
}

/* 2^40: lifts the two sides of the first comparison so far that the second one always holds (no perspective). */
#define ORTHO_LIFT 1099511627776.0

static double view_near(const trn_view *view) { return view->near_plane > 0.0f ? view->near_plane : 0.1; }
static double view_threshold(const trn_view *view) { return view->threshold_px > 0.0f ? view->threshold_px : 1.0; }

trni_lod_eye trni_lod_eye_make(const trn_pose *pose, float scale, const trn_view *view) {
    trni_lod_eye eye;
    double rows[3][3], to_eye[3];
    rotation_rows(pose->rotation, rows);
    for (int axis = 0; axis < 3; axis++) to_eye[axis] = view->position[axis] - pose->position[axis];
    for (int axis = 0; axis < 3; axis++) /* the transpose turns back */
        eye.position[axis] =
            (float)((rows[0][axis] * to_eye[0] + rows[1][axis] * to_eye[1] + rows[2][axis] * to_eye[2]) / scale);
    if (view->ortho_height > 0.0f) {
        double pixels = (double)scale * view->viewport_height / view->ortho_height / view_threshold(view);
        eye.pixels_per_error = (float)(pixels * ORTHO_LIFT);
        eye.near_distance = (float)ORTHO_LIFT;
    } else {
        eye.pixels_per_error = (float)(view->viewport_height / (2.0 * tan(view->fov_y * 0.5)) / view_threshold(view));
        eye.near_distance = (float)(view_near(view) / scale);
    }
    return eye;
}

float trni_lod_screen_size(const trni_lod_eye *eye, const float sphere[4], float threshold_px) {
    double distance_squared = 0.0, threshold = threshold_px > 0.0f ? threshold_px : 1.0;
    for (int axis = 0; axis < 3; axis++) {
        double d = (double)eye->position[axis] - sphere[axis];
        distance_squared += d * d;
    }
    double distance = sqrt(distance_squared) - sphere[3];
    if (!(distance > eye->near_distance)) distance = eye->near_distance;
    double size = 2.0 * sphere[3] * eye->pixels_per_error * threshold / distance;
    return size < 1e30 ? (float)size : 1e30f;
}

static bool page_needed(const trni_lod_page *page, const trni_lod_eye *eye, float pixels_per_error) {
    return trn_refine_test(page->parent_error, page->sphere[0], page->sphere[1], page->sphere[2], page->sphere[3],
                           eye->position[0], eye->position[1], eye->position[2], pixels_per_error, eye->near_distance);
}

void trni_lod_add_needs(const trni_lod_model *model, const trni_lod_eye *eye, uint32_t finest_level, float keep_margin,
                        uint32_t bias, uint8_t *needs) {
    for (uint32_t p = 0; p < model->root_count; p++) needs[p] = TRNI_NEED_ALL;
    float k = eye->pixels_per_error, k_want = k;
    if (!model->page_a_level)
        for (uint32_t b = 0; b < bias; b++) k_want *= 0.5f;
    for (uint32_t p = model->root_count; p < model->page_count; p++) {
        const trni_lod_page *page = &model->pages[p];
        if (needs[p] == TRNI_NEED_ALL || page->level < finest_level) continue;
        if (!page_needed(page, eye, k * keep_margin)) continue;
        needs[p] |= TRNI_NEED_KEEP;
        if (!page_needed(page, eye, k)) continue;
        needs[p] |= TRNI_NEED_FIT;
        if (k_want == k || page_needed(page, eye, k_want)) needs[p] |= TRNI_NEED_WANT;
    }
}

void trni_lod_close_needs(const trni_lod_model *model, const uint32_t *first_dependency, const uint32_t *dependencies,
                          uint32_t bias, uint8_t *needs) {
    if (model->page_a_level && bias > 0) {
        uint32_t finest = trni_lod_finest(model, needs, TRNI_NEED_FIT) + bias;
        for (uint32_t p = model->root_count; p < model->page_count; p++)
            if (model->pages[p].level < finest) needs[p] &= (uint8_t)~TRNI_NEED_WANT;
    }
    for (uint32_t p = model->page_count; p-- > 0;)
        for (uint32_t d = first_dependency[p]; d < first_dependency[p + 1]; d++) needs[dependencies[d]] |= needs[p];
}

uint32_t trni_lod_finest(const trni_lod_model *model, const uint8_t *needs, uint8_t bit) {
    uint32_t finest = model->level_count;
    for (uint32_t p = 0; p < model->page_count; p++)
        if ((needs[p] & bit) && model->pages[p].level < finest) finest = model->pages[p].level;
    return finest;
}
