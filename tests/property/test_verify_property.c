/* SPDX-License-Identifier: MIT */
/* Can verify be trusted? A real cook holds every proof; each way to break one property of its bytes, hashes put right,
 * fails the proof of that property. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <terrane_cook/cook.h>

#include "support/noise_sphere.h"
#include "support/tiny_model.h"

enum {
#define PROOF_BIT(name, bit, sentence) name = 1u << (bit),
    TRN_VERIFY_PROOFS(PROOF_BIT)
#undef PROOF_BIT
};

/* ---- a file that can be changed ---- */

typedef struct patient {
    uint8_t *bytes; /* changed */
    const uint8_t *good;
    size_t size;
    const trn_model *tables; /* of the good file */
    trn_model_info info;
} patient;

static trn_cooked cooked;
static trn_model *tables;
static patient p;

static int make_patient(void **state) {
    (void)state;
    cooked = noise_sphere_cook(24, 2);
    p.good = cooked.bytes;
    p.size = (size_t)cooked.size;
    p.bytes = malloc(p.size);
    if (!p.bytes || trn_model_open(p.good, p.size, p.size, NULL, NULL, &tables, NULL) != TRN_OK) return -1;
    p.tables = tables;
    trn_model_get_info(p.tables, &p.info);
    return p.info.level_count >= 4 ? 0 : -1;
}
static int free_patient(void **state) {
    (void)state;
    free(p.bytes);
    trn_model_close(tables);
    trn_cooked_free(&cooked);
    return 0;
}
static int heal(void **state) {
    (void)state;
    memcpy(p.bytes, p.good, p.size);
    return 0;
}

static trn_verify_report examine(uint32_t cuts) {
    trn_model_data *data;
    trn_error error = {0};
    trn_verify_report report;
    trn_verify_def def = {.cuts = cuts, .seed = 5};
    tiny_model_rehash(p.bytes, p.size);
    if (trn_model_data_load(p.bytes, p.size, "patient", NULL, &data, &error) != TRN_OK) fail_msg("%s", error.text);
    assert_int_equal(trn_cook_verify(data, &def, &report), TRN_OK);
    assert_int_equal(report.passed | report.failed, 255);
    assert_int_equal(report.passed & report.failed, 0);
    assert_int_equal(report.cuts_checked, cuts);
    trn_model_data_free(data);
    return report;
}

/* `proofs` must fail; others may, when what was broken carries them too, but only those in `allowed`. */
static void expect(uint32_t proofs, uint32_t allowed) {
    trn_verify_report report = examine(64);
    if ((report.failed & proofs) != proofs || (report.failed & ~(proofs | allowed)))
        fail_msg("failed %#x, not %#x: %s", report.failed, proofs, report.text);
    assert_true(report.text[0] != 0);
}

/* Chunks: each page of this cook has one of each kind. */
static uint8_t *chunk_of(uint32_t page, trn_chunk_kind kind, trn_model_chunk *chunk) {
    trn_model_page info;
    trn_model_get_page(p.tables, page, &info);
    trn_model_get_chunk(p.tables, info.first_chunk + (uint32_t)kind, chunk);
    assert_int_equal(chunk->kind, kind);
    return p.bytes + chunk->offset;
}

static uint8_t *entry_of(uint32_t page, uint32_t cluster) {
    trn_model_chunk chunk;
    return chunk_of(page, TRN_CHUNK_CLUSTERS, &chunk) + (size_t)cluster * TRNI_CLUSTER_ENTRY_SIZE;
}
static uint32_t clusters_of(uint32_t page) {
    trn_model_page info;
    trn_model_get_page(p.tables, page, &info);
    return info.cluster_count;
}
static uint8_t *group_record(uint32_t group) {
    for (uint32_t page = 0;; page++) {
        trn_model_page info;
        trn_model_chunk chunk;
        trn_model_get_page(p.tables, page, &info);
        if (group >= info.first_group + info.group_count) continue;
        return chunk_of(page, TRN_CHUNK_GROUPS, &chunk) + (size_t)(group - info.first_group) * TRNI_GROUP_SIZE;
    }
}
static uint8_t *page_record(uint32_t page) {
    return p.bytes + trni_get_u64(p.bytes + TRNI_HEAD_PAGE_TABLE) + (size_t)page * TRNI_PAGE_SIZE;
}
static uint8_t *level_record(uint32_t level) {
    return p.bytes + trni_get_u64(p.bytes + TRNI_HEAD_LEVEL_TABLE) + (size_t)level * TRNI_LEVEL_SIZE;
}
static uint32_t finest(void) { return p.info.page_count - 1; }

/* Writes a group's error and radius into its record and into both sides' stamps. */
static void stamp(uint32_t group, float error, float radius) {
    uint8_t *record = group_record(group);
    trni_put_f32(record + TRNI_GROUP_ERROR, error);
    trni_put_f32(record + TRNI_GROUP_SPHERE + 12, radius);
    for (uint32_t page = 0; page < p.info.page_count; page++)
        for (uint32_t c = 0; c < clusters_of(page); c++) {
            uint8_t *entry = entry_of(page, c);
            if (trni_get_u32(entry + TRNI_CLUSTER_OWN_GROUP) == group) {
                trni_put_f32(entry + TRNI_CLUSTER_OWN_ERROR, error);
                trni_put_f32(entry + TRNI_CLUSTER_OWN_SPHERE + 12, radius);
            }
            if (trni_get_u32(entry + TRNI_CLUSTER_PARENT_GROUP) == group) {
                trni_put_f32(entry + TRNI_CLUSTER_PARENT_ERROR, error);
                trni_put_f32(entry + TRNI_CLUSTER_PARENT_SPHERE + 12, radius);
            }
        }
}

/* A cluster that a group made and another one replaces. */
static const uint8_t *middle_entry(void) {
    for (uint32_t c = 0; c < clusters_of(finest() - 1); c++) {
        const uint8_t *entry = entry_of(finest() - 1, c);
        if (trni_get_u32(entry + TRNI_CLUSTER_OWN_GROUP) != UINT32_MAX &&
            trni_get_u32(entry + TRNI_CLUSTER_PARENT_GROUP) != UINT32_MAX)
            return entry;
    }
    fail();
    return NULL;
}

/* ---- the unbroken file ---- */

static void cooked_model_holds_every_proof(void **state) {
    (void)state;
    trn_verify_report report = examine(200);
    assert_string_equal(report.text, "");
    assert_int_equal(report.failed, 0);
    assert_int_equal(report.open_edges, 0);
}

/* Quads in the plane with a bump: real borders all around, which move from level to level. */
static trn_cooked cook_open_sheet(bool lock) {
    enum { SIDE = 65 };
    float *positions = malloc(SIDE * SIDE * 3 * sizeof *positions);
    uint32_t *indices = malloc((SIDE - 1) * (SIDE - 1) * 6 * sizeof *indices), count = 0;
    for (uint32_t v = 0; v < SIDE * SIDE; v++) {
        float x = (float)(v % SIDE) / 16, y = (float)(v / SIDE) / 16;
        positions[3 * v] = x + 0.01f * (float)((v * 7919u) % 13u);
        positions[3 * v + 1] = y + 0.01f * (float)((v * 104729u) % 11u);
        positions[3 * v + 2] = sinf(x * 2) * cosf(y * 3) * 0.3f;
    }
    for (uint32_t y = 0; y + 1 < SIDE; y++)
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t a = y * SIDE + x, quad[6] = {a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE};
            for (int k = 0; k < 6; k++) indices[count++] = quad[k];
        }
    trn_cook_mesh mesh = {
        .positions = positions, .vertex_count = SIDE * SIDE, .indices = indices, .index_count = count};
    trn_cook_def def = {.levels = TRN_COOK_LEVELS_AUTO, .lock_mesh_border = lock};
    trn_cooked sheet = {0};
    assert_int_equal(trn_cook(&def, &mesh, &sheet, NULL), TRN_OK);
    free(positions);
    free(indices);
    return sheet;
}

static void open_sheets_hold_every_proof(void **state) {
    (void)state;
    for (int lock = 0; lock < 2; lock++) {
        trn_cooked sheet = cook_open_sheet(lock);
        trn_model_data *data;
        trn_verify_report report;
        assert_int_equal(trn_model_data_load(sheet.bytes, sheet.size, NULL, NULL, &data, NULL), TRN_OK);
        assert_int_equal(trn_cook_verify(data, &(trn_verify_def){.cuts = 100}, &report), TRN_OK);
        assert_string_equal(report.text, "");
        assert_int_equal(report.open_edges, 4 * 64);
        trn_model_data_free(data);
        trn_cooked_free(&sheet);
    }
}

/* ---- errors and stamps ---- */

static void error_of_a_finer_group_above_its_coarser_one_is_found(void **state) {
    (void)state;
    const uint8_t *entry = middle_entry();
    uint32_t own = trni_get_u32(entry + TRNI_CLUSTER_OWN_GROUP);
    float error = trni_get_f32(entry + TRNI_CLUSTER_PARENT_ERROR) * 1.5f;
    stamp(own, error, trni_get_f32(entry + TRNI_CLUSTER_OWN_SPHERE + 12));
    expect(MONOTONE, PAGES | CUTS);
}

static void error_of_a_coarser_group_below_its_finer_one_is_found(void **state) {
    (void)state;
    const uint8_t *entry = middle_entry();
    uint32_t parent = trni_get_u32(entry + TRNI_CLUSTER_PARENT_GROUP);
    float error = trni_get_f32(entry + TRNI_CLUSTER_OWN_ERROR) * 0.5f;
    stamp(parent, error, trni_get_f32(entry + TRNI_CLUSTER_PARENT_SPHERE + 12));
    expect(MONOTONE | CUTS, 0); /* cuts between the two errors draw both, or neither */
}

static void swapped_records_of_groups_are_found(void **state) {
    (void)state;
    uint8_t kept[20], *a, *b;
    trn_model_page page;
    trn_model_get_page(p.tables, finest(), &page);
    a = group_record(page.first_group), b = group_record(page.first_group + 1);
    memcpy(kept, a, sizeof kept); /* error and sphere */
    memcpy(a, b, sizeof kept);
    memcpy(b, kept, sizeof kept);
    expect(STAMPS, MONOTONE | NESTED | CUTS);
}

static void stamp_that_is_off_by_one_bit_is_found(void **state) {
    (void)state;
    static const uint32_t fields[] = {TRNI_CLUSTER_PARENT_ERROR, TRNI_CLUSTER_PARENT_SPHERE + 4, TRNI_CLUSTER_OWN_ERROR,
                                      TRNI_CLUSTER_OWN_SPHERE + 12};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        heal(NULL);
        uint8_t *entry = p.bytes + (middle_entry() - p.bytes);
        entry[fields[i]] ^= 1;
        expect(STAMPS, PAGES);
    }
}

static void wrong_child_page_is_found(void **state) {
    (void)state;
    uint8_t *entry = entry_of(0, 0);
    uint32_t child = trni_get_u32(entry + TRNI_CLUSTER_CHILD_PAGE);
    trni_put_u32(entry + TRNI_CLUSTER_CHILD_PAGE, child == finest() ? child - 1 : child + 1);
    expect(STAMPS, CUTS);
}

static void wrong_level_of_birth_is_found(void **state) {
    (void)state;
    entry_of(0, 0)[TRNI_CLUSTER_COUNTS + 2]--;
    expect(STAMPS, STRUCTURE | LEVELS | BORDERS);
}

/* ---- spheres ---- */

static void shrunken_sphere_of_a_group_is_found(void **state) {
    (void)state;
    const uint8_t *entry = middle_entry();
    stamp(trni_get_u32(entry + TRNI_CLUSTER_PARENT_GROUP), trni_get_f32(entry + TRNI_CLUSTER_PARENT_ERROR),
          trni_get_f32(entry + TRNI_CLUSTER_PARENT_SPHERE + 12) * 0.9f);
    expect(NESTED, CUTS);
}

static void shrunken_cull_sphere_is_found(void **state) {
    (void)state;
    uint8_t *radius = entry_of(finest(), 3) + TRNI_CLUSTER_CULL_SPHERE + 12;
    trni_put_f32(radius, trni_get_f32(radius) * 0.9f);
    expect(NESTED, 0);
}

/* ---- surfaces ---- */

/* Whether a vertex of the finest page lies at a place that the next page has too: on a border that did not change, or at
 * a vertex that simplifying kept. */
static bool kept_by_the_next_level(uint32_t vertex) {
    trn_model_chunk fine, coarse;
    const uint8_t *place = chunk_of(finest(), TRN_CHUNK_VERTICES, &fine) + (size_t)vertex * TRN_VERTEX_BYTES;
    const uint8_t *others = chunk_of(finest() - 1, TRN_CHUNK_VERTICES, &coarse);
    for (uint32_t v = 0; v < coarse.count; v++)
        if (memcmp(others + (size_t)v * TRN_VERTEX_BYTES, place, 6) == 0) return true;
    return false;
}

/* Moves all vertices of the finest page that lie at the place of one by one step of the grid. */
static void move_place(uint32_t vertex) {
    trn_model_chunk chunk;
    uint8_t place[6], *vertices = chunk_of(finest(), TRN_CHUNK_VERTICES, &chunk);
    memcpy(place, vertices + (size_t)vertex * TRN_VERTEX_BYTES, 6);
    for (uint32_t v = 0; v < chunk.count; v++) {
        uint8_t *at = vertices + (size_t)v * TRN_VERTEX_BYTES;
        if (memcmp(at, place, 6) == 0) at[0] ^= 1;
    }
}

/* Spheres and the box are tight, so one step may leave them. */
static void vertex_that_moves_by_one_step_on_a_border_is_found_and_only_there(void **state) {
    (void)state;
    uint32_t moved = 0, kept = 0, kept_found = 0, seen_by_cuts = 0;
    for (uint32_t v = 0; v < 400; v++) {
        heal(NULL);
        bool shared = kept_by_the_next_level(v);
        move_place(v);
        trn_verify_report report = examine(shared ? 32 : 2);
        assert_int_equal(report.failed & ~(uint32_t)(BORDERS | CUTS | NESTED | STRUCTURE), 0);
        moved++;
        if (!shared) {
            assert_int_equal(report.failed & (BORDERS | CUTS), 0);
            continue;
        }
        kept++;
        kept_found += (report.failed & BORDERS) != 0;
        seen_by_cuts += (report.failed & CUTS) != 0;
    }
    assert_true(kept_found > 20 && moved > kept);
    assert_true(seen_by_cuts > kept_found / 4);
}

/* First corner of a page's clusters. */
static uint8_t *corners_of(uint32_t page) {
    trn_model_chunk chunk;
    uint8_t *at = chunk_of(page, TRN_CHUNK_CLUSTERS, &chunk);
    uint8_t *corners = at + (size_t)chunk.count * TRNI_CLUSTER_ENTRY_SIZE;
    for (uint32_t c = 0; c < chunk.count; c++, at += TRNI_CLUSTER_ENTRY_SIZE)
        corners += 2 * (trni_get_u32(at + TRNI_CLUSTER_COUNTS) & 0xff);
    return corners;
}

static void triangle_without_area_is_found(void **state) {
    (void)state;
    for (uint32_t page = 0; page < p.info.page_count; page++) {
        heal(NULL);
        uint8_t *corners = corners_of(page);
        corners[1] = corners[0];
        expect(STRUCTURE, LEVELS | BORDERS | CUTS);
    }
}

static void triangle_that_is_another_twice_is_found(void **state) {
    (void)state;
    for (uint32_t page = 0; page < finest(); page++) { /* of level 0 it would be a hole of the source */
        heal(NULL);
        uint8_t *corners = corners_of(page);
        memcpy(corners, corners + 3, 3);
        expect(LEVELS | BORDERS | CUTS, 0);
    }
}

/* Where there are real borders, an edge without a partner may be one. It is not when its ends are not on the border. */
static void triangle_that_is_lost_inside_an_open_sheet_is_found(void **state) {
    (void)state;
    patient closed = p;
    trn_cooked sheet = cook_open_sheet(false);
    trn_model *opened;
    assert_int_equal(trn_model_open(sheet.bytes, (size_t)sheet.size, sheet.size, NULL, NULL, &opened, NULL), TRN_OK);
    p = (patient){
        .bytes = malloc((size_t)sheet.size), .good = sheet.bytes, .size = (size_t)sheet.size, .tables = opened};
    trn_model_get_info(opened, &p.info);
    heal(NULL);
    uint32_t found = 0, triangles = trni_get_u32(entry_of(finest() - 1, 0) + TRNI_CLUSTER_COUNTS) >> 8 & 0xff;
    for (uint32_t t = 0; t < triangles; t++) {
        heal(NULL);
        uint8_t *corners = corners_of(finest() - 1);
        memcpy(corners + 3 * t, corners + 3 * ((t + 1) % triangles), 3);
        trn_verify_report report = examine(2);
        found += (report.failed & BORDERS) != 0;
    }
    assert_true(triangles > 20 && found * 10 > triangles * 8); /* three corners on the border: it might have shrunk */
    free(p.bytes);
    trn_model_close(opened);
    trn_cooked_free(&sheet);
    p = closed;
}

/* ---- tables ---- */

static void wrong_counts_of_a_level_are_found(void **state) {
    (void)state;
    uint8_t *record = level_record(1);
    trni_put_u32(record + TRNI_LEVEL_CLUSTER_COUNT, trni_get_u32(record + TRNI_LEVEL_CLUSTER_COUNT) - 1);
    expect(STRUCTURE | LEVELS, 0);
    heal(NULL);
    trni_put_u64(record + TRNI_LEVEL_TRIANGLE_COUNT, trni_get_u64(record + TRNI_LEVEL_TRIANGLE_COUNT) + 1);
    expect(STRUCTURE | LEVELS, 0);
}

static void wrong_counts_of_a_group_are_found(void **state) {
    (void)state;
    uint8_t *record = group_record(1);
    trni_put_u32(record + TRNI_GROUP_MEMBER_COUNT, trni_get_u32(record + TRNI_GROUP_MEMBER_COUNT) + 1);
    expect(STRUCTURE, 0);
    heal(NULL);
    trni_put_u32(record + TRNI_GROUP_PRODUCT_COUNT, trni_get_u32(record + TRNI_GROUP_PRODUCT_COUNT) + 1);
    expect(STRUCTURE, 0);
}

static void cluster_of_another_group_is_found(void **state) {
    (void)state;
    trn_model_page page;
    trn_model_get_page(p.tables, finest(), &page);
    uint8_t *entry = entry_of(finest(), 0);
    uint32_t group = trni_get_u32(entry + TRNI_CLUSTER_PARENT_GROUP);
    trni_put_u32(entry + TRNI_CLUSTER_PARENT_GROUP, group == page.first_group ? group + 1 : page.first_group);
    expect(STRUCTURE | STAMPS | BORDERS, NESTED | CUTS);
}

static void box_and_sphere_that_are_too_small_are_found(void **state) {
    (void)state;
    trni_put_f32(p.bytes + TRNI_HEAD_BOX_MAX, 0.5f);
    expect(STRUCTURE, 0);
    heal(NULL);
    trni_put_f32(p.bytes + TRNI_HEAD_SPHERE + 12, 0.5f);
    expect(STRUCTURE, 0);
}

static void dropped_dependency_is_found(void **state) {
    (void)state;
    uint64_t table = trni_get_u64(p.bytes + TRNI_HEAD_DEPENDENCY_TABLE);
    trn_model_page page;
    trn_model_get_page(p.tables, finest(), &page); /* its first dependency becomes page 0 or, if it was, another */
    uint8_t *entry = p.bytes + table + (size_t)page.first_dependency * TRNI_DEPENDENCY_SIZE;
    assert_true(trni_get_u32(entry) > 0);
    trni_put_u32(entry, 0);
    expect(PAGES, CUTS);
}

static void errors_and_spheres_of_pages_and_levels_that_do_not_bound_are_found(void **state) {
    (void)state;
    uint8_t *places[] = {page_record(finest()) + TRNI_PAGE_PARENT_ERROR, page_record(1) + TRNI_PAGE_SPHERE + 12,
                         level_record(0) + TRNI_LEVEL_PARENT_ERROR, level_record(0) + TRNI_LEVEL_SPHERE + 12,
                         level_record(1) + TRNI_LEVEL_OWN_ERROR};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        heal(NULL);
        trni_put_f32(places[i], trni_get_f32(places[i]) * 0.9f);
        expect(PAGES, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(cooked_model_holds_every_proof, heal),
        cmocka_unit_test_setup(open_sheets_hold_every_proof, heal),
        cmocka_unit_test_setup(error_of_a_finer_group_above_its_coarser_one_is_found, heal),
        cmocka_unit_test_setup(error_of_a_coarser_group_below_its_finer_one_is_found, heal),
        cmocka_unit_test_setup(swapped_records_of_groups_are_found, heal),
        cmocka_unit_test_setup(stamp_that_is_off_by_one_bit_is_found, heal),
        cmocka_unit_test_setup(wrong_child_page_is_found, heal),
        cmocka_unit_test_setup(wrong_level_of_birth_is_found, heal),
        cmocka_unit_test_setup(shrunken_sphere_of_a_group_is_found, heal),
        cmocka_unit_test_setup(shrunken_cull_sphere_is_found, heal),
        cmocka_unit_test_setup(vertex_that_moves_by_one_step_on_a_border_is_found_and_only_there, heal),
        cmocka_unit_test_setup(triangle_without_area_is_found, heal),
        cmocka_unit_test_setup(triangle_that_is_another_twice_is_found, heal),
        cmocka_unit_test_setup(triangle_that_is_lost_inside_an_open_sheet_is_found, heal),
        cmocka_unit_test_setup(wrong_counts_of_a_level_are_found, heal),
        cmocka_unit_test_setup(wrong_counts_of_a_group_are_found, heal),
        cmocka_unit_test_setup(cluster_of_another_group_is_found, heal),
        cmocka_unit_test_setup(box_and_sphere_that_are_too_small_are_found, heal),
        cmocka_unit_test_setup(dropped_dependency_is_found, heal),
        cmocka_unit_test_setup(errors_and_spheres_of_pages_and_levels_that_do_not_bound_are_found, heal),
    };
    return cmocka_run_group_tests(tests, make_patient, free_patient);
}
