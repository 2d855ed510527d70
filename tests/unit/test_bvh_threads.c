/* SPDX-License-Identifier: MIT */
/* Many threads ask one box tree at once; the thread sanitizer watches. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>
#include <terrane/bvh.h>

#include "support/box_sets.h"

enum { COUNT = 5000, QUERIES = 300, THREADS = 4 };

typedef struct reader {
    const trn_bvh *bvh;
    uint64_t sum; /* of all answers, order included */
    uint32_t ids[COUNT];
    double squared[COUNT];
} reader;

static void *read_all(void *context) {
    reader *self = context;
    uint64_t random = 9;
    self->sum = 0;
    for (int q = 0; q < QUERIES; q++) {
        double x = random_between(&random, 0, 4000), z = random_between(&random, 0, 4000), center[3] = {x, 20, z};
        trn_world_box box = {{center[0], 0, center[2]}, {center[0] + 300, 100, center[2] + 300}};
        uint32_t count = 0;
        uint64_t data = 0;
        if (trn_bvh_query_sphere(self->bvh, center, 300, self->ids, self->squared, COUNT, &count) != TRN_OK)
            return NULL;
        for (uint32_t i = 0; i < count; i++) self->sum = self->sum * 31 + self->ids[i];
        if (trn_bvh_query_box(self->bvh, &box, self->ids, COUNT, &count) != TRN_OK) return NULL;
        for (uint32_t i = 0; i < count; i++) self->sum = self->sum * 31 + self->ids[i];
        if (trn_bvh_get_user_data(self->bvh, (uint32_t)q, &data) != TRN_OK) return NULL;
        self->sum = self->sum * 31 + data;
    }
    return self;
}

static void concurrent_readers_get_the_same_answers(void **state) {
    (void)state;
    static trn_world_box boxes[COUNT];
    static reader readers[THREADS + 1];
    const double corner[3] = {0, 0, 0};
    box_set_fill(BOX_SET_CITIES, COUNT, corner, 1, boxes);
    trn_bvh *bvh = NULL;
    assert_int_equal(trn_bvh_create(&(trn_bvh_def){.boxes = boxes, .count = COUNT}, &bvh, NULL), TRN_OK);
    pthread_t threads[THREADS];
    for (int i = 0; i <= THREADS; i++) readers[i].bvh = bvh;
    assert_non_null(read_all(&readers[THREADS]));
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_all, &readers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *done = NULL;
        assert_int_equal(pthread_join(threads[i], &done), 0);
        assert_non_null(done);
        assert_true(readers[i].sum == readers[THREADS].sum);
    }
    trn_bvh_destroy(bvh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(concurrent_readers_get_the_same_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
