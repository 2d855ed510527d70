/* SPDX-License-Identifier: MIT */
/* BORDERS by hand: sheets of a few triangles that hang on one spine, whose middle vertex a group may let go or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cook/verify_internal.h"

enum { SPINE_START, SPINE_MIDDLE, SPINE_END, FIRST_OUTER };
enum { MOST_SHEETS = 4 };

/* How a sheet goes from level 0 to level 1. */
typedef enum sheet_kind {
    KEEPS,    /* its group keeps the spine's middle */
    LETS_GO,  /* its group makes one edge of the spine's two */
    TERMINAL, /* no group: it belongs to both levels */
} sheet_kind;

static void free_sets(trni_verify *v) {
    trni_free(&v->allocator, v->met_list, v->met_capacity, sizeof *v->met_list);
    trni_edge_set_free(&v->edges, &v->allocator);
    trni_edge_set_free(&v->rim, &v->allocator);
    trni_edge_set_free(&v->met, &v->allocator);
    for (uint32_t l = 0; l < TRNI_VERIFY_LEVELS; l++) {
        trni_free(&v->allocator, v->odd_owner[l], trni_edge_set_places(&v->odd[l]), sizeof(uint32_t));
        trni_edge_set_free(&v->odd[l], &v->allocator);
    }
}

/* Each sheet is a group of its own, unless `joined`: then all are one group. Returns the proofs that failed. */
static uint32_t verify_sheets(const sheet_kind *kinds, uint32_t count, bool joined) {
    static const uint32_t fine[] = {0, 1, 3, 1, 4, 3, 1, 2, 4}, coarse[] = {0, 2, 3, 2, 4, 3};
    data_cluster clusters[2 * MOST_SHEETS];
    data_group groups[MOST_SHEETS] = {{0}};
    uint16_t positions[3 * (FIRST_OUTER + 2 * MOST_SHEETS)] = {0};
    uint32_t corners[2 * MOST_SHEETS * 9], cluster_count = 0, triangles = 0, group_count = 0;
    uint32_t member_first[MOST_SHEETS + 1] = {0}, product_first[MOST_SHEETS + 1] = {0};
    uint32_t members[MOST_SHEETS], products[MOST_SHEETS], member_count = 0, product_count = 0;
    for (uint32_t s = 0; s < count; s++) {
        bool terminal = kinds[s] == TERMINAL;
        uint32_t group = terminal ? TRNI_NO_GROUP : joined ? 0 : group_count;
        for (uint32_t level = 0; level < (terminal ? 1u : 2u); level++) {
            bool lets_go = level == 1 && kinds[s] == LETS_GO;
            const uint32_t *from = lets_go ? coarse : fine;
            data_cluster *cluster = &clusters[cluster_count];
            memset(cluster, 0, sizeof *cluster);
            cluster->born = level;
            cluster->stored = terminal ? 1 : level;
            cluster->own_group = level == 1 ? group : TRNI_NO_GROUP;
            cluster->parent_group = level == 0 ? group : TRNI_NO_GROUP;
            cluster->first_triangle = triangles;
            cluster->triangle_count = lets_go ? 2 : 3;
            for (uint32_t c = 0; c < 3 * cluster->triangle_count; c++)
                corners[3 * triangles + c] = from[c] < FIRST_OUTER ? from[c] : from[c] + 2 * s;
            triangles += cluster->triangle_count;
            if (!terminal && level == 0) members[member_count++] = cluster_count;
            if (level == 1) products[product_count++] = cluster_count;
            cluster_count++;
        }
        if (terminal) continue;
        group_count = joined ? 1 : group_count + 1;
        member_first[group_count] = member_count;
        product_first[group_count] = product_count;
    }
    trn_model_data data = {
        .info = {.level_count = 2, .grid_step = 1, .group_count = group_count, .cluster_count = cluster_count},
        .clusters = clusters,
        .groups = groups,
        .corners = corners,
        .positions = positions};
    trn_verify_report report = {0};
    trni_verify verify = {.data = &data,
                          .report = &report,
                          .member_first = member_first,
                          .members = members,
                          .product_first = product_first,
                          .products = products};
    assert_true(trni_allocator_make(&verify.allocator, NULL));
    assert_int_equal(trni_verify_levels(&verify), TRN_OK);
    assert_int_equal(trni_verify_borders(&verify), TRN_OK);
    free_sets(&verify);
    return report.failed;
}

static void real_border_of_one_sheet_may_move(void **state) {
    (void)state;
    assert_int_equal(verify_sheets((sheet_kind[]){LETS_GO}, 1, false), 0);
}

static void two_sheets_keep_their_common_edges(void **state) {
    (void)state;
    assert_int_equal(verify_sheets((sheet_kind[]){KEEPS, KEEPS}, 2, false), 0);
    assert_true(verify_sheets((sheet_kind[]){LETS_GO, KEEPS}, 2, false) & TRNI_PROOF_BORDERS);
    assert_int_equal(verify_sheets((sheet_kind[]){LETS_GO, LETS_GO}, 2, true), 0); /* one group decides for both */
}

/* Three have an edge an odd number of times, like a real border, and yet it is none. */
static void three_sheets_keep_their_common_edges(void **state) {
    (void)state;
    assert_int_equal(verify_sheets((sheet_kind[]){KEEPS, KEEPS, KEEPS}, 3, false), 0);
    assert_true(verify_sheets((sheet_kind[]){LETS_GO, KEEPS, KEEPS}, 3, false) & TRNI_PROOF_BORDERS);
    /* Also when all do the same: a cut may have one of them from level 0. */
    assert_true(verify_sheets((sheet_kind[]){LETS_GO, LETS_GO, LETS_GO}, 3, false) & TRNI_PROOF_BORDERS);
    assert_int_equal(verify_sheets((sheet_kind[]){LETS_GO, LETS_GO, LETS_GO}, 3, true), 0);
}

static void sheet_that_nothing_replaces_keeps_its_neighbours(void **state) {
    (void)state;
    assert_int_equal(verify_sheets((sheet_kind[]){TERMINAL, KEEPS, KEEPS}, 3, false), 0);
    assert_true(verify_sheets((sheet_kind[]){TERMINAL, LETS_GO, KEEPS}, 3, false) & TRNI_PROOF_BORDERS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_border_of_one_sheet_may_move),
        cmocka_unit_test(two_sheets_keep_their_common_edges),
        cmocka_unit_test(three_sheets_keep_their_common_edges),
        cmocka_unit_test(sheet_that_nothing_replaces_keeps_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
