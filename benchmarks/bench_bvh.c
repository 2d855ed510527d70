/* SPDX-License-Identifier: MIT */
/* Suite bvh: building the box tree and asking it for spheres, next to a loop over all boxes and Boost's R-tree.
 *
 * All structures of one scene live in one process and take turns; the smallest of the rounds counts. Spheres lie on a closed
 * curve through the world; their radius is found by bisection for a mean number of hits. Before a figure is printed,
 * the sets of ids are compared. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <terrane/bvh.h>

#include "support/box_sets.h"

#ifdef BENCH_BOOST
#include "peer_boost.h"
#endif

enum { QUERIES = 256, STRUCTURES = 3 };

/* A scene and everything that is asked about it. */
typedef struct bench_scene {
    box_set set;
    uint32_t count;
    trn_world_box *boxes;
    trn_bvh *bvh;
#ifdef BENCH_BOOST
    peer_boost_boxes *boost_boxes;
    peer_boost_tree *boost;
#endif
    double centers[QUERIES][3];
    uint32_t *ids[STRUCTURES]; /* room for all boxes each */
} bench_scene;

typedef uint32_t (*query_function)(const bench_scene *scene, const double center[3], double radius, uint32_t *ids);

static uint32_t query_ours(const bench_scene *scene, const double center[3], double radius, uint32_t *ids) {
    uint32_t count = 0;
    if (trn_bvh_query_sphere(scene->bvh, center, radius, ids, NULL, scene->count, &count) != TRN_OK)
        bench_fail("bvh", "a query failed");
    return count;
}

static double clamped_distance(double at, double min, double max) {
    double closest = at > min ? at : min;
    closest = closest < max ? closest : max;
    return at - closest;
}

static uint32_t query_loop(const bench_scene *scene, const double center[3], double radius, uint32_t *ids) {
    uint32_t found = 0;
    double radius_squared = radius * radius;
    for (uint32_t i = 0; i < scene->count; i++) {
        const trn_world_box *box = &scene->boxes[i];
        double x = clamped_distance(center[0], box->min[0], box->max[0]);
        double y = clamped_distance(center[1], box->min[1], box->max[1]);
        double z = clamped_distance(center[2], box->min[2], box->max[2]);
        if (x * x + y * y + z * z <= radius_squared) ids[found++] = i;
    }
    return found;
}

#ifdef BENCH_BOOST
static uint32_t query_boost(const bench_scene *scene, const double center[3], double radius, uint32_t *ids) {
    return peer_boost_sphere(scene->boost, center, radius, ids);
}
#endif

typedef struct bench_structure {
    const char *name; /* NULL: ours */
    query_function query;
    bool is_loop; /* its time hardly depends on the query, so a few do */
} bench_structure;

static const bench_structure structures[] = {
    {NULL, query_ours, false},
    {"loop over all boxes", query_loop, true},
#ifdef BENCH_BOOST
    {"Boost.Geometry rtree", query_boost, false},
#endif
};
enum { STRUCTURE_COUNT = sizeof structures / sizeof structures[0] };

static uint32_t query_count(const bench_scene *scene, const bench_structure *structure) {
    uint32_t few = 8000000 / scene->count;
    if (!structure->is_loop || few >= QUERIES) return QUERIES;
    return few < 4 ? 4 : few;
}

/* A closed curve that visits the middle and the outskirts. */
static void place_queries(bench_scene *scene) {
    double side = box_set_side(scene->set, scene->count);
    for (int i = 0; i < QUERIES; i++) {
        double turn = 2 * 3.14159265358979323846 * i / QUERIES, reach = 0.27 + 0.16 * cos(5 * turn);
        scene->centers[i][0] = box_set_snap(side * (0.5 + reach * cos(2 * turn)));
        scene->centers[i][1] = 24;
        scene->centers[i][2] = box_set_snap(side * (0.5 + reach * sin(3 * turn)));
    }
}

static double mean_hits(const bench_scene *scene, double radius) {
    uint64_t sum = 0;
    for (int i = 0; i < QUERIES; i++) {
        uint32_t count = 0;
        if (trn_bvh_query_sphere(scene->bvh, scene->centers[i], radius, NULL, NULL, 0, &count) != TRN_OK)
            bench_fail("bvh", "a query failed");
        sum += count;
    }
    return (double)sum / QUERIES;
}

/* Radius for about `wanted` hits; negative where none gives that. */
static double find_radius(const bench_scene *scene, double wanted) {
    double low = 0, high = 4 * box_set_side(scene->set, scene->count);
    if (mean_hits(scene, 0) > 1.5 * wanted || scene->count < wanted) return -1;
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        if (mean_hits(scene, middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    /* Between multiples of 1/16, so that no box in floats or doubles lies on the surface by accident. */
    double radius = box_set_snap(high) + 1.0 / 64;
    double hits = mean_hits(scene, radius);
    return hits > 0.5 * wanted && hits < 2 * wanted ? radius : -1;
}

static int compare_ids(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void check_answers(const bench_scene *scene, double radius) {
    for (int q = 0; q < QUERIES; q++) {
        const double *center = scene->centers[q];
        uint32_t count = query_ours(scene, center, radius, scene->ids[0]);
        qsort(scene->ids[0], count, sizeof(uint32_t), compare_ids);
        for (int s = 1; s < STRUCTURE_COUNT; s++) {
            if ((uint32_t)q >= query_count(scene, &structures[s])) continue;
            uint32_t other = structures[s].query(scene, center, radius, scene->ids[s]);
            qsort(scene->ids[s], other, sizeof(uint32_t), compare_ids);
            if (other != count || memcmp(scene->ids[0], scene->ids[s], count * sizeof(uint32_t)) != 0)
                bench_fail("bvh", "two structures found different boxes");
        }
    }
}

static void print_times(const bench_options *options, const char *name, const char *unit, double scale,
                        const double *seconds) {
    for (int s = 1; s < STRUCTURE_COUNT; s++) {
        if (!(seconds[s] > 0)) continue;
        bench_row row = {.suite = "bvh",
                         .name = name,
                         .value = seconds[0] * scale,
                         .unit = unit,
                         .peer = structures[s].name,
                         .ratio = seconds[s] / seconds[0]};
        bench_print(options, &row);
    }
}

static void measure_queries(const bench_options *options, const bench_scene *scene, double wanted, int rounds) {
    double radius = find_radius(scene, wanted);
    if (radius < 0) return;
    check_answers(scene, radius);
    double best[STRUCTURES] = {0};
    for (int round = 0; round < rounds; round++)
        for (int s = 0; s < STRUCTURE_COUNT; s++) {
            uint32_t queries = query_count(scene, &structures[s]);
            double start = bench_seconds();
            for (uint32_t q = 0; q < queries; q++) structures[s].query(scene, scene->centers[q], radius, scene->ids[s]);
            double seconds = (bench_seconds() - start) / queries;
            if (round == 0 || seconds < best[s]) best[s] = seconds;
        }
    char name[80];
    snprintf(name, sizeof name, "sphere %s %u boxes %.0f hits", box_set_name(scene->set), scene->count,
             mean_hits(scene, radius));
    print_times(options, name, "ns", 1e9, best);
}

static void build_ours(bench_scene *scene) {
    trn_bvh_destroy(scene->bvh);
    scene->bvh = NULL;
    trn_error error;
    trn_bvh_def def = {.boxes = scene->boxes, .count = scene->count};
    if (trn_bvh_create(&def, &scene->bvh, &error) != TRN_OK) bench_fail("bvh", error.text);
}

static void measure_build(const bench_options *options, bench_scene *scene, int rounds) {
    double best[STRUCTURES] = {0};
    for (int round = 0; round < rounds; round++) {
        double start = bench_seconds();
        build_ours(scene);
        double seconds = bench_seconds() - start;
        if (round == 0 || seconds < best[0]) best[0] = seconds;
#ifdef BENCH_BOOST
        start = bench_seconds();
        peer_boost_free(scene->boost);
        scene->boost = peer_boost_build(scene->boost_boxes);
        seconds = bench_seconds() - start;
        if (round == 0 || seconds < best[2]) best[2] = seconds;
#endif
    }
    char name[80];
    snprintf(name, sizeof name, "build %s %u boxes", box_set_name(scene->set), scene->count);
#ifdef BENCH_BOOST
    print_times(options, name, "ms", 1e3, best);
#else
    bench_row build = {.suite = "bvh", .name = name, .value = best[0] * 1e3, .unit = "ms"};
    bench_print(options, &build);
#endif
    trn_bvh_stats stats;
    trn_bvh_get_stats(scene->bvh, &stats);
    snprintf(name, sizeof name, "memory %s %u boxes", box_set_name(scene->set), scene->count);
    bench_row memory = {.suite = "bvh", .name = name, .value = (double)stats.bytes / scene->count, .unit = "B/box"};
    bench_print(options, &memory);
}

static void measure_scene(const bench_options *options, box_set set, uint32_t count) {
    const double corner[3] = {0, 0, 0};
    int rounds = options->quick ? 3 : count > 10000 ? 7 : 12;
    bench_scene scene = {.set = set, .count = count};
    scene.boxes = bench_alloc(count, sizeof *scene.boxes);
    for (int s = 0; s < STRUCTURE_COUNT; s++) scene.ids[s] = bench_alloc(count, sizeof(uint32_t));
    box_set_fill(set, count, corner, 1, scene.boxes);
    place_queries(&scene);
#ifdef BENCH_BOOST
    scene.boost_boxes = peer_boost_boxes_make(scene.boxes, count);
#endif
    measure_build(options, &scene, count > 100000 ? 3 : rounds);
    for (double wanted = 10; wanted <= 1000; wanted *= 10) measure_queries(options, &scene, wanted, rounds);
#ifdef BENCH_BOOST
    peer_boost_free(scene.boost);
    peer_boost_boxes_free(scene.boost_boxes);
#endif
    trn_bvh_destroy(scene.bvh);
    for (int s = 0; s < STRUCTURE_COUNT; s++) free(scene.ids[s]);
    free(scene.boxes);
}

void bench_bvh(const bench_options *options) {
    uint32_t largest = options->quick ? 10000 : 1000000;
    for (uint32_t count = 1000; count <= largest; count *= 10)
        for (int set = 0; set < BOX_SET_COUNT; set++) measure_scene(options, (box_set)set, count);
}
