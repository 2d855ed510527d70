/* SPDX-License-Identifier: MIT */
/* The box tree against brute force over seeded sets, near and far from the origin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <terrane/bvh.h>

#include "support/box_sets.h"

enum { MOST = 3000 };

static trn_world_box boxes[MOST];
static uint32_t found[MOST], again[MOST];
static double squared[MOST];
static uint8_t expected[MOST];

static int64_t sixteenths(double x) { return (int64_t)(x * 16); }

static int64_t integer_distance_squared(const trn_world_box *box, const double center[3]) {
    int64_t sum = 0;
    for (int a = 0; a < 3; a++) {
        int64_t at = sixteenths(center[a]), min = sixteenths(box->min[a]), max = sixteenths(box->max[a]);
        int64_t distance = at < min ? min - at : at > max ? at - max : 0;
        sum += distance * distance;
    }
    return sum;
}

/* Ids are those expected, each once. */
static void check_ids(uint32_t n, uint32_t count) {
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < n; i++) wanted += expected[i];
    assert_int_equal(count, wanted);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(found[i] < n);
        assert_int_equal(expected[found[i]], 1);
        expected[found[i]] = 2;
    }
}

static void check_sphere(const trn_bvh *bvh, uint32_t n, const double center[3], double radius, uint32_t capacity) {
    uint32_t count, count_again;
    assert_int_equal(trn_bvh_query_sphere(bvh, center, radius, found, squared, n, &count), TRN_OK);
    int64_t r = sixteenths(radius);
    for (uint32_t i = 0; i < n; i++) expected[i] = integer_distance_squared(&boxes[i], center) <= r * r;
    check_ids(n, count);
    for (uint32_t i = 0; i < count; i++)
        assert_true(squared[i] * 256 == (double)integer_distance_squared(&boxes[found[i]], center));
    if (capacity > n) capacity = n;
    assert_int_equal(trn_bvh_query_sphere(bvh, center, radius, again, NULL, capacity, &count_again), TRN_OK);
    assert_int_equal(count_again, count);
    assert_memory_equal(again, found, (capacity < count ? capacity : count) * sizeof *found);
}

static void check_box(const trn_bvh *bvh, uint32_t n, const trn_world_box *query) {
    uint32_t count;
    assert_int_equal(trn_bvh_query_box(bvh, query, found, n, &count), TRN_OK);
    for (uint32_t i = 0; i < n; i++) {
        expected[i] = 1;
        for (int a = 0; a < 3; a++)
            if (boxes[i].min[a] > query->max[a] || boxes[i].max[a] < query->min[a]) expected[i] = 0;
    }
    check_ids(n, count);
}

static void sphere_and_box_queries_equal_brute_force(void **state) {
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 5, 17, 100, 1000, 3000};
    static const double corners[][3] = {{0, 0, 0}, {-500, 0, 700}, {1e7, 300, -1e7}};
    uint64_t random = 1;
    for (int set = 0; set < BOX_SET_COUNT; set++)
        for (size_t c = 0; c < 3; c++)
            for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
                uint32_t n = counts[k];
                double side = box_set_side((box_set)set, n);
                box_set_fill((box_set)set, n, corners[c], random_u64(&random), boxes);
                trn_bvh *bvh = NULL;
                trn_bvh_def def = {.boxes = boxes, .count = n, .leaf_size = random_below(&random, 9)};
                assert_int_equal(trn_bvh_create(&def, &bvh, NULL), TRN_OK);
                for (int q = 0; q < 60; q++) {
                    double center[3];
                    for (int a = 0; a < 3; a++)
                        center[a] = corners[c][a] +
                                    box_set_snap(random_between(&random, -0.3 * side, 1.3 * side) * (a == 1 ? 0.1 : 1));
                    double radius = box_set_snap(side * pow(2, random_between(&random, -8, 1)));
                    if (q % 4 == 0) { /* touching: from a corner of a box, along 3-4-5 */
                        const trn_world_box *box = &boxes[random_below(&random, n)];
                        double scale = 1 + random_below(&random, 40);
                        center[0] = box->max[0] + 3 * scale;
                        center[1] = box->max[1];
                        center[2] = box->min[2] - 4 * scale;
                        radius = 5 * scale;
                    }
                    check_sphere(bvh, n, center, radius, random_below(&random, 20));
                    trn_world_box query;
                    for (int a = 0; a < 3; a++) {
                        query.min[a] = center[a] - radius;
                        query.max[a] = center[a] + (q % 2 ? radius : 0);
                    }
                    check_box(bvh, n, &query);
                }
                trn_bvh_destroy(bvh);
            }
}

/* Unrounded doubles of all sizes, infinite sides, points; the oracle is the formula of the header. */
static void any_sound_doubles_equal_the_documented_formula(void **state) {
    (void)state;
    uint64_t random = 2;
    for (int round = 0; round < 300; round++) {
        uint32_t n = 1 + random_below(&random, 300);
        double scale = pow(10, random_between(&random, -40, 40)), place = round % 3 == 0 ? 0 : 1e5 * scale;
        for (uint32_t i = 0; i < n; i++)
            for (int a = 0; a < 3; a++) {
                double x = place + scale * random_between(&random, -1, 1);
                double size = random_below(&random, 4) == 0 ? 0 : scale * random_between(&random, 0, 0.3);
                if (round % 5 == 0) x *= pow(10, random_between(&random, -20, 20));
                boxes[i].min[a] = random_below(&random, 50) == 0 ? -(double)INFINITY : x;
                boxes[i].max[a] = random_below(&random, 50) == 0 ? (double)INFINITY : x + size;
            }
        trn_bvh *bvh = NULL;
        trn_bvh_def def = {.boxes = boxes, .count = n, .leaf_size = 1 + random_below(&random, 4)};
        assert_int_equal(trn_bvh_create(&def, &bvh, NULL), TRN_OK);
        for (int q = 0; q < 60; q++) {
            double center[3], radius = scale * pow(10, random_between(&random, -6, 1));
            const trn_world_box *near = &boxes[random_below(&random, n)];
            for (int a = 0; a < 3; a++) {
                center[a] = place + scale * random_between(&random, -1.5, 1.5);
                if (q % 3 == 0 && isfinite(near->max[a])) center[a] = near->max[a];
            }
            if (q % 3 == 0) center[0] += radius;
            uint32_t count;
            assert_int_equal(trn_bvh_query_sphere(bvh, center, radius, found, squared, n, &count), TRN_OK);
            for (uint32_t i = 0; i < n; i++) {
                double d[3];
                for (int a = 0; a < 3; a++)
                    d[a] = center[a] < boxes[i].min[a]   ? boxes[i].min[a] - center[a]
                           : center[a] > boxes[i].max[a] ? center[a] - boxes[i].max[a]
                                                         : 0;
                expected[i] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= radius * radius;
            }
            check_ids(n, count);
            check_box(bvh, n, near);
        }
        trn_bvh_destroy(bvh);
    }
}

/* The smallest radius whose square reaches a distance: the float test of the nodes must not round it away. The centre is
 * exact in floats and the point is the origin, so no other slack hides an error. */
static void a_sphere_that_just_touches_is_never_lost_to_float_rounding(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int scale = 0; scale < 2; scale++) {
        double unit = scale ? 0x1p-76 : 1; /* squares underflow in floats */
        trn_world_box points[3] = {
            {{-unit, 0, 0}, {-unit, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {{unit, 0, 0}, {unit, 0, 0}}};
        trn_bvh *bvh = NULL;
        assert_int_equal(trn_bvh_create(&(trn_bvh_def){.boxes = points, .count = 3, .leaf_size = 1}, &bvh, NULL),
                         TRN_OK);
        for (int i = 0; i < 200000; i++) {
            double center[3];
            for (int a = 0; a < 3; a++) center[a] = unit * random_below(&random, scale ? 16 : 1 << 24);
            double wanted = center[0] * center[0] + center[1] * center[1] + center[2] * center[2],
                   radius = sqrt(wanted);
            while (radius * radius < wanted) radius = nextafter(radius, (double)INFINITY);
            uint32_t count, hits = 0;
            assert_int_equal(trn_bvh_query_sphere(bvh, center, radius, found, NULL, 3, &count), TRN_OK);
            for (uint32_t k = 0; k < count; k++) hits += found[k] == 1;
            assert_int_equal(hits, 1);
        }
        trn_bvh_destroy(bvh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_and_box_queries_equal_brute_force),
        cmocka_unit_test(a_sphere_that_just_touches_is_never_lost_to_float_rounding),
        cmocka_unit_test(any_sound_doubles_equal_the_documented_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
