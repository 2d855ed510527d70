/* SPDX-License-Identifier: MIT */
/* The box tree is the same, bit for bit, with every compiler, optimisation and machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <terrane/bvh.h>

#include "bvh/bvh_internal.h"
#include "support/random.h"

enum { COUNT = 20000 };

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t size) { /* FNV-1a */
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

static void nodes_order_and_answers_have_the_pinned_hash(void **state) {
    (void)state;
    static trn_world_box boxes[COUNT];
    static uint32_t ids[COUNT];
    static double squared[COUNT];
    uint64_t random = 17, hash = 0xcbf29ce484222325u;
    for (int i = 0; i < COUNT; i++)
        for (int a = 0; a < 3; a++) {
            boxes[i].min[a] = 3e6 + random_between(&random, 0, a == 1 ? 100 : 20000);
            boxes[i].max[a] = boxes[i].min[a] + random_between(&random, 0, 200);
            if (random_below(&random, 500) == 0) boxes[i].max[a] = (double)INFINITY;
        }
    trn_bvh *bvh = NULL;
    assert_int_equal(trn_bvh_create(&(trn_bvh_def){.boxes = boxes, .count = COUNT}, &bvh, NULL), TRN_OK);
    hash = add_bytes(hash, bvh->nodes, bvh->node_count * sizeof *bvh->nodes);
    hash = add_bytes(hash, bvh->ids, sizeof ids);
    for (int q = 0; q < 50; q++) {
        double x = 3e6 + random_between(&random, 0, 20000), z = 3e6 + random_between(&random, 0, 20000);
        uint32_t count;
        assert_int_equal(trn_bvh_query_sphere(bvh, (double[3]){x, 3e6, z}, 700, ids, squared, COUNT, &count), TRN_OK);
        hash = add_bytes(hash, ids, count * sizeof *ids);
        hash = add_bytes(hash, squared, count * sizeof *squared);
    }
    trn_bvh_destroy(bvh);
    assert_true(hash == 0x1277131d4286946eu);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_order_and_answers_have_the_pinned_hash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
