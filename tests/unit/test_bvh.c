/* SPDX-License-Identifier: MIT */
/* The box tree: its shape, its answers at the edges, and bad input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <terrane/bvh.h>

#include "bvh/bvh_internal.h"
#include "support/random.h"

static const double inf = (double)INFINITY;
static const double nan_value = (double)NAN;

static trn_world_box box_of(double x0, double y0, double z0, double x1, double y1, double z1) {
    trn_world_box box = {{x0, y0, z0}, {x1, y1, z1}};
    return box;
}

static trn_world_box point_box(double x, double y, double z) { return box_of(x, y, z, x, y, z); }

static trn_bvh *tree_of(const trn_world_box *boxes, uint32_t count, uint32_t leaf_size) {
    trn_bvh *bvh = NULL;
    trn_error error;
    assert_int_equal(
        trn_bvh_create(&(trn_bvh_def){.boxes = boxes, .count = count, .leaf_size = leaf_size}, &bvh, &error), TRN_OK);
    return bvh;
}

static uint32_t hits(const trn_bvh *bvh, double x, double y, double z, double radius) {
    uint32_t count = UINT32_MAX;
    double center[3] = {x, y, z};
    assert_int_equal(trn_bvh_query_sphere(bvh, center, radius, NULL, NULL, 0, &count), TRN_OK);
    return count;
}

static bool finds(const trn_bvh *bvh, uint32_t id, double x, double y, double z, double radius) {
    uint32_t ids[64], count;
    double center[3] = {x, y, z};
    assert_int_equal(trn_bvh_query_sphere(bvh, center, radius, ids, NULL, 64, &count), TRN_OK);
    assert_in_range(count, 0, 64);
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] == id) return true;
    return false;
}

/* Checks everything that SPEC B1 says about nodes, and that the slots hold each box once. */
static void check_shape(const trn_bvh *bvh, const trn_world_box *boxes) {
    uint32_t slots = 0, depth = 0, nodes_seen = 0;
    uint32_t waiting[TRNI_BVH_STACK], levels[TRNI_BVH_STACK], begins[TRNI_BVH_STACK], ends[TRNI_BVH_STACK], top = 0;
    if (bvh->count != 0) waiting[0] = levels[0] = begins[0] = 0, ends[0] = bvh->count, top = 1;
    while (top != 0) {
        uint32_t index = waiting[--top], level = levels[top], begin = begins[top], end = ends[top];
        const trni_bvh_node *node = &bvh->nodes[index];
        nodes_seen++;
        if (level > depth) depth = level;
        double low[3] = {inf, inf, inf}, high[3] = {-inf, -inf, -inf};
        for (uint32_t i = begin; i < end; i++)
            for (int a = 0; a < 3; a++) {
                const trn_world_box *box = &bvh->boxes[i];
                assert_true((double)node->min[a] <= box->min[a] - bvh->origin[a]);
                assert_true((double)node->max[a] >= box->max[a] - bvh->origin[a]);
                double center = trni_bvh_center(box, a);
                if (center < low[a]) low[a] = center;
                if (center > high[a]) high[a] = center;
            }
        int axis = 0;
        for (int a = 1; a < 3; a++)
            if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
        bool leaf = end - begin <= bvh->leaf_size || high[axis] - low[axis] <= 0;
        if (leaf) {
            assert_int_equal(node->first, begin);
            assert_int_equal(node->count, end - begin);
            assert_int_equal(begin, slots);
            slots = end;
            continue;
        }
        assert_int_equal(node->count, 0);
        assert_true(node->first + 1 < bvh->node_count);
        uint32_t middle = begin + (end - begin) / 2;
        double largest_left = -inf, smallest_right = inf;
        for (uint32_t i = begin; i < end; i++) {
            double center = trni_bvh_center(&bvh->boxes[i], axis);
            if (i < middle && center > largest_left) largest_left = center;
            if (i >= middle && center < smallest_right) smallest_right = center;
        }
        assert_true(largest_left <= smallest_right);
        waiting[top] = node->first + 1, levels[top] = level + 1, begins[top] = middle, ends[top] = end, top++;
        waiting[top] = node->first, levels[top] = level + 1, begins[top] = begin, ends[top] = middle, top++;
    }
    assert_int_equal(slots, bvh->count);
    assert_int_equal(nodes_seen, bvh->node_count);
    assert_int_equal(depth, bvh->depth);
    assert_true(bvh->node_count <= trni_bvh_most_nodes(bvh->count, bvh->leaf_size));
    uint8_t *seen = calloc((size_t)bvh->count + 1, 1);
    assert_non_null(seen);
    for (uint32_t i = 0; i < bvh->count; i++) {
        assert_true(bvh->ids[i] < bvh->count);
        assert_int_equal(seen[bvh->ids[i]]++, 0);
        assert_memory_equal(&bvh->boxes[i], &boxes[bvh->ids[i]], sizeof boxes[0]);
    }
    free(seen);
}

static void a_node_is_32_bytes(void **state) {
    (void)state;
    assert_int_equal(sizeof(trni_bvh_node), 32);
}

static void an_empty_tree_finds_nothing(void **state) {
    (void)state;
    trn_bvh *bvh = NULL;
    trn_bvh_stats stats;
    assert_int_equal(trn_bvh_create(&(trn_bvh_def){0}, &bvh, NULL), TRN_OK);
    assert_int_equal(hits(bvh, 0, 0, 0, inf), 0);
    uint32_t count = 9;
    trn_world_box all = box_of(-inf, -inf, -inf, inf, inf, inf);
    assert_int_equal(trn_bvh_query_box(bvh, &all, NULL, 0, &count), TRN_OK);
    assert_int_equal(count, 0);
    trn_bvh_get_stats(bvh, &stats);
    assert_int_equal(stats.box_count, 0);
    assert_int_equal(stats.node_count, 0);
    assert_int_equal(stats.depth, 0);
    trn_bvh_destroy(bvh);
    trn_bvh_destroy(NULL);
}

static void touching_counts_and_a_hair_less_does_not(void **state) {
    (void)state;
    trn_world_box box = box_of(1, 1, 1, 2, 2, 2);
    trn_bvh *bvh = tree_of(&box, 1, 0);
    assert_int_equal(hits(bvh, 0, 1.5, 1.5, 1), 1);
    assert_int_equal(hits(bvh, 0, 1.5, 1.5, nextafter(1, 0)), 0);
    assert_int_equal(hits(bvh, 5, 6, 1, 5), 1); /* corner: 3, 4, 0 */
    assert_int_equal(hits(bvh, 5, 6, 1, nextafter(5, 0)), 0);
    assert_int_equal(hits(bvh, 1.5, 1.5, 1.5, 0), 1); /* inside */
    assert_int_equal(hits(bvh, 2, 2, 2, 0), 1);
    uint32_t count;
    trn_world_box beside = box_of(2, 2, 2, 3, 3, 3), apart = box_of(nextafter(2, 3), 1, 1, 3, 2, 2);
    assert_int_equal(trn_bvh_query_box(bvh, &beside, NULL, 0, &count), TRN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(trn_bvh_query_box(bvh, &apart, NULL, 0, &count), TRN_OK);
    assert_int_equal(count, 0);
    trn_bvh_destroy(bvh);
}

static void distances_are_exact_and_zero_inside(void **state) {
    (void)state;
    trn_world_box boxes[3] = {box_of(-1, -1, -1, 1, 1, 1), box_of(3, 4, 0, 9, 9, 0),
                              box_of(-inf, 10, -inf, inf, inf, inf)};
    trn_bvh *bvh = tree_of(boxes, 3, 1);
    double expected[3] = {0, 25, 100}, squared[3], center[3] = {0, 0, 0};
    uint32_t ids[3], count;
    assert_int_equal(trn_bvh_query_sphere(bvh, center, 10, ids, squared, 3, &count), TRN_OK);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < 3; i++) assert_true(squared[i] == expected[ids[i]]);
    trn_bvh_destroy(bvh);
}

static void the_full_count_is_returned_past_the_capacity(void **state) {
    (void)state;
    trn_world_box boxes[100];
    for (int i = 0; i < 100; i++) boxes[i] = point_box(i, 0, 0);
    trn_bvh *bvh = tree_of(boxes, 100, 0);
    uint32_t all[100], some[8] = {0}, count;
    double center[3] = {50, 0, 0}, squared[8] = {0};
    assert_int_equal(trn_bvh_query_sphere(bvh, center, 20, all, NULL, 100, &count), TRN_OK);
    assert_int_equal(count, 41);
    some[7] = 12345;
    squared[7] = -1;
    assert_int_equal(trn_bvh_query_sphere(bvh, center, 20, some, squared, 7, &count), TRN_OK);
    assert_int_equal(count, 41);
    assert_memory_equal(some, all, 7 * sizeof *all);
    assert_int_equal(some[7], 12345);
    assert_true(squared[7] == -1);
    trn_world_box around = box_of(30, 0, 0, 70, 0, 0);
    assert_int_equal(trn_bvh_query_box(bvh, &around, some, 7, &count), TRN_OK);
    assert_int_equal(count, 41);
    assert_memory_equal(some, all, 7 * sizeof *all);
    trn_bvh_destroy(bvh);
}

static void infinite_boxes_side_by_side_are_found_and_hide_nothing(void **state) {
    (void)state;
    trn_world_box boxes[40];
    for (int i = 0; i < 40; i++) boxes[i] = box_of(i * 10, 0, 0, i * 10 + 1, 1, 1);
    boxes[3] = box_of(-inf, -inf, -inf, inf, inf, inf);
    boxes[4] = boxes[5] = boxes[3];
    boxes[6] = box_of(-inf, -inf, -inf, inf, -5, inf); /* below a floor */
    boxes[7] = box_of(500, -inf, -inf, inf, inf, inf);
    boxes[8] = box_of(-inf, -inf, -inf, -500, inf, inf);
    boxes[9] = box_of(inf, inf, inf, inf, inf, inf); /* nowhere */
    for (uint32_t leaf = 1; leaf <= 4; leaf++) {
        trn_bvh *bvh = tree_of(boxes, 40, leaf);
        check_shape(bvh, boxes);
        for (uint32_t i = 10; i < 40; i++) assert_true(finds(bvh, i, i * 10.0 + 0.5, 0.5, 0.5, 0));
        for (uint32_t i = 3; i < 6; i++) assert_true(finds(bvh, i, 1e300, -1e300, 3, 0));
        assert_int_equal(hits(bvh, 205, 0.5, 0.5, 0), 3);
        assert_int_equal(hits(bvh, 205, -5, 0.5, 0), 4);
        assert_true(finds(bvh, 7, 1e9, 0, 0, 0));
        assert_true(finds(bvh, 8, -499, 0, 0, 1));
        assert_false(finds(bvh, 8, -499, 0, 0, 0.5));
        assert_false(finds(bvh, 9, 1e300, 1e300, 1e300, 1e100));
        assert_int_equal(hits(bvh, 0, 0, 0, inf), 40);
        trn_bvh_destroy(bvh);
    }
}

static void points_and_flat_boxes_are_found(void **state) {
    (void)state;
    trn_world_box boxes[3] = {point_box(1, 2, 3), box_of(0, 0, 0, 9, 9, 0), box_of(0, 5, 5, 9, 5, 5)};
    trn_bvh *bvh = tree_of(boxes, 3, 1);
    assert_true(finds(bvh, 0, 1, 2, 3, 0));
    assert_false(finds(bvh, 0, 1, 2, nextafter(3, 4), 0));
    assert_true(finds(bvh, 1, 4, 4, -1, 1));
    assert_true(finds(bvh, 2, 4, 5, 5, 0));
    trn_bvh_destroy(bvh);
}

static void coordinates_at_and_beyond_the_end_of_floats_are_found(void **state) {
    (void)state;
    const double places[] = {3e38, -3e38, 3.5e38, 1e39, -1e39, 1e100, -1e100, 0, 1.7e308, -1.7e308, 1e-310};
    enum { N = sizeof places / sizeof places[0] };
    trn_world_box boxes[N];
    for (int i = 0; i < N; i++) boxes[i] = point_box(places[i], places[N - 1 - i], 0);
    for (uint32_t leaf = 1; leaf <= 4; leaf++) {
        trn_bvh *bvh = tree_of(boxes, N, leaf);
        check_shape(bvh, boxes);
        for (uint32_t i = 0; i < N; i++) {
            assert_true(finds(bvh, i, places[i], places[N - 1 - i], 0, 0));
            uint32_t ids[N], count;
            assert_int_equal(trn_bvh_query_box(bvh, &boxes[i], ids, N, &count), TRN_OK);
            assert_int_equal(count, 1);
            assert_int_equal(ids[0], i);
        }
        assert_int_equal(hits(bvh, 0, 0, 0, inf), N);
        trn_bvh_destroy(bvh);
    }
}

static void bad_boxes_are_refused_by_index_and_change_nothing(void **state) {
    (void)state;
    trn_world_box good[20], bad[20];
    for (int i = 0; i < 20; i++) good[i] = point_box(i, i, i);
    trn_bvh *bvh = tree_of(good, 20, 0);
    trn_bvh_stats before, after;
    trn_bvh_get_stats(bvh, &before);
    for (int field = 0; field < 9; field++) {
        memcpy(bad, good, sizeof good);
        if (field < 3)
            bad[13].min[field] = nan_value;
        else if (field < 6)
            bad[13].max[field - 3] = nan_value;
        else
            bad[13].min[field - 6] = 14; /* inverted */
        trn_error error = {TRN_OK, 0, 0, ""};
        trn_bvh *none = NULL;
        assert_int_equal(trn_bvh_create(&(trn_bvh_def){.boxes = bad, .count = 20}, &none, &error), TRN_ERROR_ARGUMENT);
        assert_null(none);
        assert_int_equal(error.code, TRN_ERROR_ARGUMENT);
        assert_int_equal(error.item, 13);
        error.item = 0;
        assert_int_equal(trn_bvh_rebuild(bvh, bad, 20, NULL, &error), TRN_ERROR_ARGUMENT);
        assert_int_equal(error.item, 13);
        for (uint32_t i = 0; i < 20; i++) assert_true(finds(bvh, i, i, i, i, 0));
    }
    trn_bvh_get_stats(bvh, &after);
    assert_memory_equal(&before, &after, sizeof before);
    trn_bvh_destroy(bvh);
}

static void bad_arguments_are_refused_and_write_nothing(void **state) {
    (void)state;
    trn_world_box box = box_of(0, 0, 0, 1, 1, 1), inverted = box_of(1, 0, 0, 0, 1, 1);
    trn_bvh *bvh = tree_of(&box, 1, 0), *none = NULL;
    double center[3] = {0, 0, 0}, bad_center[3] = {0, nan_value, 0}, far_center[3] = {0, 0, inf};
    uint32_t count = 77, id = 88;
    uint64_t user_data = 99;
    assert_int_equal(trn_bvh_query_sphere(bvh, center, nan_value, &id, NULL, 1, &count), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_query_sphere(bvh, center, -1, &id, NULL, 1, &count), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_query_sphere(bvh, center, -inf, &id, NULL, 1, &count), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_query_sphere(bvh, bad_center, 1, &id, NULL, 1, &count), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_query_sphere(bvh, far_center, 1, &id, NULL, 1, &count), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_query_sphere(bvh, center, 1, NULL, NULL, 1, &count), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_query_sphere(bvh, center, 1, &id, NULL, 1, NULL), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_query_sphere(NULL, center, 1, &id, NULL, 1, &count), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_query_box(bvh, &inverted, &id, 1, &count), TRN_ERROR_ARGUMENT);
    inverted.min[0] = nan_value;
    assert_int_equal(trn_bvh_query_box(bvh, &inverted, &id, 1, &count), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_get_user_data(bvh, 1, &user_data), TRN_ERROR_ARGUMENT);
    assert_int_equal(count, 77);
    assert_int_equal(id, 88);
    assert_int_equal(user_data, 99);
    trn_error error;
    assert_int_equal(trn_bvh_create(&(trn_bvh_def){.count = 1}, &none, &error), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_create(&(trn_bvh_def){.leaf_size = 65}, &none, &error), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_create(&(trn_bvh_def){.boxes = &box, .count = TRN_BVH_MAX_BOXES + 1}, &none, &error),
                     TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_create(&(trn_bvh_def){0}, NULL, &error), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_rebuild(NULL, &box, 1, NULL, &error), TRN_ERROR_ARGUMENT);
    assert_null(none);
    trn_bvh_destroy(bvh);
}

static void a_definition_of_another_version_is_read(void **state) {
    (void)state;
    struct {
        trn_bvh_def def;
        uint64_t more;
    } newer = {{0}, 0};
    trn_bvh *bvh = NULL;
    trn_error error;
    trn_world_box box = box_of(0, 0, 0, 1, 1, 1);
    newer.def.boxes = &box;
    newer.def.count = 1;
    assert_int_equal(trn_bvh_create_sized(&newer.def, sizeof newer, &bvh, &error), TRN_OK);
    trn_bvh_destroy(bvh);
    newer.more = 1;
    assert_int_equal(trn_bvh_create_sized(&newer.def, sizeof newer, &bvh, &error), TRN_ERROR_ARGUMENT);
    assert_int_equal(trn_bvh_create_sized(&newer.def, offsetof(trn_bvh_def, user_data), &bvh, &error), TRN_OK);
    assert_int_equal(hits(bvh, 0, 0, 0, 0), 1);
    trn_bvh_destroy(bvh);
}

static void equal_centres_share_a_leaf_however_many(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 2, 4, 5, 255, 256, 257, 65535, 65536, 65537};
    trn_world_box *boxes = calloc(65538, sizeof *boxes);
    assert_non_null(boxes);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        uint32_t n = counts[c];
        for (uint32_t i = 0; i < n; i++) boxes[i] = box_of(-(double)i, -(double)i, -(double)i, i, i, i);
        trn_bvh *bvh = tree_of(boxes, n, 0);
        check_shape(bvh, boxes);
        assert_int_equal(bvh->node_count, 1);
        assert_int_equal(bvh->largest_leaf, n);
        assert_int_equal(hits(bvh, 0, 0, 0, 0), n);
        assert_int_equal(hits(bvh, n, 0, 0, 1), 1);
        trn_bvh_destroy(bvh);
        /* One more box elsewhere: halves of equal centres next to it. */
        boxes[n] = point_box(1e6, 0, 0);
        bvh = tree_of(boxes, n + 1, 0);
        check_shape(bvh, boxes);
        assert_int_equal(hits(bvh, 1e6, 0, 0, 0), 1);
        assert_int_equal(hits(bvh, 0, 0, 0, 0), n);
        trn_bvh_destroy(bvh);
    }
    free(boxes);
}

static void centres_in_a_plane_split_along_it(void **state) {
    (void)state;
    enum { N = 4096 };
    trn_world_box *boxes = calloc(N, sizeof *boxes);
    assert_non_null(boxes);
    uint64_t random = 5;
    for (int plane = 0; plane < 3; plane++) {
        for (int i = 0; i < N; i++)
            for (int a = 0; a < 3; a++)
                boxes[i].min[a] = boxes[i].max[a] = a == plane ? 7.25 : random_between(&random, -100, 100);
        trn_bvh *bvh = tree_of(boxes, N, 0);
        check_shape(bvh, boxes);
        assert_int_equal(bvh->largest_leaf, 4);
        assert_int_equal(bvh->depth, 10);
        trn_bvh_destroy(bvh);
    }
    free(boxes);
}

static void a_region_ten_million_metres_out_is_found_to_the_centimetre(void **state) {
    (void)state;
    enum { N = 500 };
    trn_world_box boxes[N];
    uint64_t random = 11;
    for (int spread = 0; spread < 2; spread++) {
        /* All far out together, then a world that spans from the origin to there: floats are then 0.5 m apart. */
        for (int i = 0; i < N; i++) {
            double x = spread ? random_between(&random, -1e7, 1e7) : 1e7 + random_between(&random, 0, 5000);
            double z = spread ? random_between(&random, -1e7, 1e7) : -1e7 + random_between(&random, 0, 5000);
            boxes[i] = box_of(x, 0, z, x + 50, 20, z + 50);
        }
        boxes[123] = box_of(1e7 + 6000, 0, -1e7 - 500, 1e7 + 6064, 30, -1e7 - 436);
        trn_bvh *bvh = tree_of(boxes, N, 0);
        check_shape(bvh, boxes);
        double edge = boxes[123].max[0], z = -1e7 - 460;
        assert_true(finds(bvh, 123, edge + 100, 10, z, 100));
        assert_false(finds(bvh, 123, edge + 100.01, 10, z, 100));
        assert_true(finds(bvh, 123, edge + 99.99, 10, z, 100));
        assert_false(finds(bvh, 123, edge + 100, 10, z, 99.99));
        assert_true(finds(bvh, 123, edge + 0.01, 10, z, 0.0100001));
        assert_false(finds(bvh, 123, edge + 0.01, 10, z, 0.0099));
        trn_bvh_destroy(bvh);
    }
}

static void far_and_infinite_boxes_do_not_coarsen_the_rest(void **state) {
    (void)state;
    enum { N = 1000 };
    trn_world_box boxes[N];
    uint64_t random = 13;
    for (int i = 0; i < N; i++) {
        double x = 2e6 + random_between(&random, 0, 5000), z = random_between(&random, 0, 5000);
        boxes[i] = box_of(x, 0, z, x + 50, 20, z + 50);
    }
    boxes[0] = point_box(1e12, -1e12, 1e15);
    boxes[1] = point_box(1e200, 0, 0);
    boxes[2] = box_of(-inf, -inf, -inf, inf, inf, inf);
    boxes[3] = box_of(-inf, 0, 0, 0, inf, 0);
    trn_bvh *bvh = tree_of(boxes, N, 0);
    check_shape(bvh, boxes);
    for (uint32_t i = 0; i < bvh->node_count; i++) {
        const trni_bvh_node *node = &bvh->nodes[i];
        if (node->count == 0) continue;
        double width = 0; /* of the leaf, with nothing rounded */
        for (uint32_t slot = node->first; slot < node->first + node->count; slot++)
            for (uint32_t other = node->first; other < node->first + node->count; other++)
                if (bvh->boxes[slot].max[0] - bvh->boxes[other].min[0] > width)
                    width = bvh->boxes[slot].max[0] - bvh->boxes[other].min[0];
        if (width < 5100) assert_true((double)node->max[0] - (double)node->min[0] < width + 0.01);
    }
    for (uint32_t i = 0; i < N; i++)
        if (i < 2 || i > 3) assert_true(finds(bvh, i, boxes[i].max[0], boxes[i].max[1], boxes[i].max[2], 0));
    assert_true(finds(bvh, 2, 9, 9, 9, 0));
    assert_true(finds(bvh, 3, -9, 9, 0, 0));
    trn_bvh_destroy(bvh);
}

static void rounding_outward_never_goes_inward(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 200000; i++) {
        double origin_scale = pow(10, random_below(&random, 8)), scale = pow(10, (double)random_below(&random, 16) - 8);
        double origin = origin_scale * random_between(&random, -1e7, 1e7);
        double x = origin + scale * random_between(&random, -1, 1);
        /* x - origin is exactly difference + rest (Knuth's two-sum). */
        double difference = x - origin, part = difference - x;
        double rest = (x - (difference - part)) - (origin + part);
        float below = trni_bvh_float_below(x, origin), above = trni_bvh_float_above(x, origin);
        assert_true((double)below < difference || ((double)below == difference && rest >= 0));
        assert_true((double)above > difference || ((double)above == difference && rest <= 0));
        /* and by no more than two floats */
        assert_true((double)nextafterf(nextafterf(nextafterf(below, INFINITY), INFINITY), INFINITY) > difference);
    }
    /* Differences that round to a float, but are less or more than it. */
    assert_true(1 - 0x1p-60 == 1 && trni_bvh_float_below(1, 0x1p-60) < 1);
    assert_true(1 + 0x1p-60 == 1 && trni_bvh_float_above(1, -0x1p-60) > 1);
    assert_true(trni_bvh_float_below(-inf, 5) == -INFINITY);
    assert_true(trni_bvh_float_above(inf, 5) == INFINITY);
    assert_true(trni_bvh_float_below(inf, 5) == FLT_MAX);
    assert_true(trni_bvh_float_above(1e39, 0) == INFINITY);
    assert_true(trni_bvh_float_below(1e39, 0) == FLT_MAX);
}

static void both_selections_put_the_median_in_its_place(void **state) {
    (void)state;
    enum { N = 3000 };
    static trn_world_box boxes[N], copy[N];
    static uint32_t ids[N];
    uint64_t random = 7;
    for (int round = 0; round < 60; round++) {
        uint32_t n = 1 + random_below(&random, N), middle = random_below(&random, n);
        for (uint32_t i = 0; i < n; i++) {
            double x = 0;
            switch (round % 6) {
            case 0: x = i; break;
            case 1: x = -(double)i; break;
            case 2: x = i < n / 2 ? i : n - i; break; /* organ pipe */
            case 3: x = random_below(&random, 3); break;
            case 4: x = ldexp(random_between(&random, -1, 1), (int)(i % 2000) - 1000); break;
            default: x = i % 2 ? inf : -inf; break;
            }
            boxes[i] = point_box(0, x, 0);
        }
        memcpy(copy, boxes, sizeof copy);
        for (int which = 0; which < 2; which++) {
            memcpy(boxes, copy, sizeof copy);
            for (uint32_t i = 0; i < n; i++) ids[i] = i;
            if (which == 0)
                trni_bvh_select(boxes, ids, 0, n, middle, 1);
            else
                trni_bvh_select_by_bits(boxes, ids, 0, n, middle, 1);
            double largest_left = -inf, smallest_right = inf;
            for (uint32_t i = 0; i < n; i++) {
                assert_true(copy[ids[i]].min[1] == boxes[i].min[1]);
                double x = trni_bvh_center(&boxes[i], 1);
                if (i < middle && x > largest_left) largest_left = x;
                if (i >= middle && x < smallest_right) smallest_right = x;
            }
            assert_true(largest_left <= smallest_right);
        }
    }
}

/* The arrangement that makes a median of three take the smallest keys at every step: the fallback must take over. */
static void a_median_of_three_killer_is_sorted_by_the_fallback(void **state) {
    (void)state;
    enum { N = 1 << 14 };
    trn_world_box *boxes = calloc(N, sizeof *boxes);
    uint32_t *ids = calloc(N, sizeof *ids);
    assert_non_null(boxes);
    assert_non_null(ids);
    /* Built backwards: undo one partition after the other, so that the pivot is each time the second smallest. */
    for (uint32_t i = 0; i < N; i++) ids[i] = i;
    for (uint32_t low = N - 3;; low--) {
        /* In [low, N): put the two smallest keys at the first and middle place. */
        uint32_t middle = low + (N - 1 - low) / 2;
        uint32_t swap = ids[low + 1];
        ids[low + 1] = ids[middle];
        ids[middle] = swap;
        if (low == 0) break;
    }
    for (uint32_t i = 0; i < N; i++) boxes[i] = point_box(ids[i], 0, 0);
    trn_bvh *bvh = tree_of(boxes, N, 0);
    check_shape(bvh, boxes);
    trn_bvh_destroy(bvh);
    free(boxes);
    free(ids);
}

static void no_input_is_deeper_than_the_halving_allows(void **state) {
    (void)state;
    enum { N = 2048 };
    trn_world_box *boxes = calloc(N, sizeof *boxes);
    assert_non_null(boxes);
    /* Each centre twice as far as the last: a split in the middle of space would make a chain. */
    for (int i = 0; i < N; i++) boxes[i] = point_box(ldexp(1, i % 2000 - 1000), ldexp(-1, i / 2 - 512), 0);
    for (uint32_t n = 1; n <= N; n += n < 70 ? 1 : 97) {
        trn_bvh *bvh = tree_of(boxes, n, 1);
        check_shape(bvh, boxes);
        uint32_t bound = 0;
        while ((1u << bound) < n) bound++;
        assert_true(bvh->depth <= bound);
        assert_true(hits(bvh, 0, 0, 0, inf) == n); /* every right child waits once */
        trn_bvh_destroy(bvh);
    }
    free(boxes);
}

static void the_most_nodes_are_what_a_full_split_makes(void **state) {
    (void)state;
    for (uint32_t leaf = 1; leaf <= 9; leaf++) {
        uint64_t nodes[600] = {0};
        for (uint32_t n = 1; n < 600; n++) {
            nodes[n] = n <= leaf ? 1 : 1 + nodes[n / 2] + nodes[n - n / 2];
            assert_int_equal(trni_bvh_most_nodes(n, leaf), nodes[n]);
            assert_true(nodes[n] >= nodes[n - 1]);
        }
    }
    assert_true(trni_bvh_most_nodes(TRN_BVH_MAX_BOXES, 1) == UINT32_MAX);
}

static void user_data_is_the_hosts_or_the_id(void **state) {
    (void)state;
    trn_world_box boxes[3] = {point_box(0, 0, 0), point_box(1, 0, 0), point_box(2, 0, 0)};
    uint64_t user[3] = {UINT64_MAX, 7, 1ull << 40}, read;
    trn_bvh *bvh = NULL;
    assert_int_equal(trn_bvh_create(&(trn_bvh_def){.boxes = boxes, .count = 3, .user_data = user}, &bvh, NULL), TRN_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(trn_bvh_get_user_data(bvh, i, &read), TRN_OK);
        assert_true(read == user[i]);
    }
    assert_int_equal(trn_bvh_rebuild(bvh, boxes, 2, NULL, NULL), TRN_OK);
    assert_int_equal(trn_bvh_get_user_data(bvh, 1, &read), TRN_OK);
    assert_true(read == 1);
    assert_int_equal(trn_bvh_get_user_data(bvh, 2, &read), TRN_ERROR_ARGUMENT);
    trn_bvh_destroy(bvh);
}

static void a_rebuild_gives_the_tree_that_a_creation_gives(void **state) {
    (void)state;
    enum { N = 700 };
    trn_world_box boxes[N];
    uint64_t random = 21;
    for (int i = 0; i < N; i++) {
        double x = random_between(&random, 0, 1000), z = random_between(&random, 0, 1000);
        boxes[i] = box_of(x, 0, z, x + 20, 5, z + 20);
    }
    trn_bvh *grown = tree_of(boxes, 3, 0);
    for (uint32_t n = 0; n <= N; n += 50) {
        assert_int_equal(trn_bvh_rebuild(grown, boxes, n, NULL, NULL), TRN_OK);
        trn_bvh *fresh = tree_of(boxes, n, 0);
        check_shape(grown, boxes);
        assert_int_equal(fresh->node_count, grown->node_count);
        if (n != 0) {
            assert_memory_equal(fresh->nodes, grown->nodes, fresh->node_count * sizeof *fresh->nodes);
            assert_memory_equal(fresh->ids, grown->ids, n * sizeof *fresh->ids);
        }
        trn_bvh_destroy(fresh);
    }
    assert_int_equal(trn_bvh_rebuild(grown, NULL, 0, NULL, NULL), TRN_OK);
    assert_int_equal(hits(grown, 0, 0, 0, inf), 0);
    trn_bvh_destroy(grown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_32_bytes),
        cmocka_unit_test(an_empty_tree_finds_nothing),
        cmocka_unit_test(touching_counts_and_a_hair_less_does_not),
        cmocka_unit_test(distances_are_exact_and_zero_inside),
        cmocka_unit_test(the_full_count_is_returned_past_the_capacity),
        cmocka_unit_test(infinite_boxes_side_by_side_are_found_and_hide_nothing),
        cmocka_unit_test(points_and_flat_boxes_are_found),
        cmocka_unit_test(coordinates_at_and_beyond_the_end_of_floats_are_found),
        cmocka_unit_test(bad_boxes_are_refused_by_index_and_change_nothing),
        cmocka_unit_test(bad_arguments_are_refused_and_write_nothing),
        cmocka_unit_test(a_definition_of_another_version_is_read),
        cmocka_unit_test(equal_centres_share_a_leaf_however_many),
        cmocka_unit_test(centres_in_a_plane_split_along_it),
        cmocka_unit_test(a_region_ten_million_metres_out_is_found_to_the_centimetre),
        cmocka_unit_test(far_and_infinite_boxes_do_not_coarsen_the_rest),
        cmocka_unit_test(rounding_outward_never_goes_inward),
        cmocka_unit_test(both_selections_put_the_median_in_its_place),
        cmocka_unit_test(a_median_of_three_killer_is_sorted_by_the_fallback),
        cmocka_unit_test(no_input_is_deeper_than_the_halving_allows),
        cmocka_unit_test(the_most_nodes_are_what_a_full_split_makes),
        cmocka_unit_test(user_data_is_the_hosts_or_the_id),
        cmocka_unit_test(a_rebuild_gives_the_tree_that_a_creation_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
