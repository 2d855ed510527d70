/* SPDX-License-Identifier: MIT */
/* Models with several pages a level, groups that feed several groups, and clusters of many levels: what they hold is read as
 * it was written, every cut covers the surface once, and each proof of verify finds the damage it is there for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "support/paged_model.h"
#include "support/random.h"
#include <terrane_cook/cook.h>

/* Each option alone and together, without 10 levels of everything. */
static bool next_variant(paged_model_def *def, uint32_t number) {
    static const uint32_t sides[] = {3, 4, 32};
    if (number == 7 * 3 * 3 * 2 * 2) return false;
    *def = (paged_model_def){.levels = 1 + number % 7,
                             .sides = sides[number / 7 % 3],
                             .page_groups = number / 21 % 3,
                             .terminal = number / 63 % 2,
                             .open = number / 126 % 2,
                             .chunk_elements = number % 5 ? number % 5 * 7 : 0,
                             .seed = number};
    return true;
}

static trn_model_data *load(uint8_t *bytes, size_t size) {
    trn_model_data *data = NULL;
    trn_error error = {0};
    if (trn_model_data_load(bytes, size, "paged", NULL, &data, &error) != TRN_OK) fail_msg("%s", error.text);
    return data;
}

static void every_variant_passes_all_proofs(void **state) {
    (void)state;
    paged_model_def def;
    for (uint32_t number = 0; next_variant(&def, number); number++) {
        uint8_t *bytes;
        size_t size = paged_model_make(&def, &bytes);
        trn_model_data *data = load(bytes, size);
        trn_verify_report report;
        assert_int_equal(trn_cook_verify(data, &(trn_verify_def){.cuts = 8, .seed = number}, &report), TRN_OK);
        if (report.failed) fail_msg("variant %u: %s", number, report.text);
        assert_int_equal(report.open_edges, def.open ? 2 * def.sides : 0);
        assert_int_equal(report.cuts_checked, 8);
        trn_model_data_free(data);
        free(bytes);
    }
}

/* ---- cuts ---- */

static int ring_of(double x) { return (int)lround((x - paged_coordinate(0, 40)) / (50.0 * (double)PAGED_STEP)); }

/* The drawn clusters' stretches of the tube must follow each other from its first ring to its last. */
static void check_coverage(const trn_cut *cut, const paged_model_def *def) {
    int rings = 1 << def->levels, covered = 0;
    static int ends[PAGED_CLUSTERS + 1];
    memset(ends, 0, sizeof ends);
    uint32_t terminal = 0, clusters = 0;
    for (uint64_t t = 0; t < cut->triangle_count;) {
        int low = rings, high = 0;
        uint64_t end = t;
        for (; end < cut->triangle_count && cut->clusters[end] == cut->clusters[t]; end++)
            for (int k = 0; k < 3; k++) {
                int ring = ring_of(cut->positions[3 * (size_t)cut->indices[3 * end + (uint64_t)k]]);
                low = ring < low ? ring : low;
                high = ring > high ? ring : high;
            }
        clusters++;
        if (cut->materials[t] == 1) {
            terminal++;
            assert_int_equal(end - t, 4);
        } else {
            assert_true(low >= 0 && high <= rings && low < high);
            assert_int_equal(ends[low], 0); /* nothing is drawn twice */
            ends[low] = high;
        }
        t = end;
    }
    assert_int_equal(clusters, cut->cluster_count);
    assert_int_equal(terminal, def->terminal);
    for (uint32_t i = terminal; i < clusters; i++) {
        assert_true(ends[covered] > covered);
        covered = ends[covered];
    }
    assert_int_equal(covered, rings);
}

static int compare_points(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(double)); }

static void check_shared_vertices(const trn_cut *cut) {
    for (uint64_t i = 0; i < 3 * cut->triangle_count; i++) assert_true(cut->indices[i] < cut->vertex_count);
    double *sorted = paged_alloc((size_t)cut->vertex_count * 3 * sizeof *sorted);
    memcpy(sorted, cut->positions, (size_t)cut->vertex_count * 3 * sizeof *sorted);
    qsort(sorted, cut->vertex_count, 3 * sizeof *sorted, compare_points);
    for (uint32_t v = 1; v < cut->vertex_count; v++)
        assert_int_not_equal(compare_points(sorted + 3 * v - 3, sorted + 3 * v), 0);
    free(sorted);
}

static void every_cut_covers_the_surface_once(void **state) {
    (void)state;
    paged_model_def def;
    uint64_t random = 5;
    for (uint32_t number = 0; next_variant(&def, number); number++) {
        uint8_t *bytes, missing[4096];
        size_t size = paged_model_make(&def, &bytes);
        trn_model_data *data = load(bytes, size);
        trn_model_info info;
        trn_model_get_info(trn_model_data_tables(data), &info);
        assert_true(info.page_count <= sizeof missing);
        for (uint32_t i = 0; i < 12; i++) {
            trn_cut_def wanted = {.by_camera = i % 2, .viewport_height = 1080, .fov_y = 1};
            wanted.error = (float)random_between(&random, 0, 0.5 * def.levels + 0.5);
            for (int a = 0; a < 3; a++) wanted.camera[a] = random_between(&random, -10, 10 + 0.2 * (1 << def.levels));
            wanted.threshold_px = (float)pow(2, random_between(&random, -2, 12));
            uint32_t every = 1 + random_below(&random, 6);
            for (uint32_t p = 0; p < info.page_count; p++) missing[p] = random_below(&random, every) == 1;
            if (i % 3) wanted.missing = missing;
            trn_cut cut;
            assert_int_equal(trn_cut_make(data, &wanted, &cut, NULL), TRN_OK);
            check_coverage(&cut, &def);
            check_shared_vertices(&cut);
            trn_cut_free(&cut);
        }
        trn_model_data_free(data);
        free(bytes);
    }
}

static void cut_follows_error_and_missing_pages(void **state) {
    (void)state;
    paged_model_def def = {.levels = 4, .page_groups = 1};
    uint8_t *bytes, missing[64] = {0};
    size_t size = paged_model_make(&def, &bytes);
    trn_model_data *data = load(bytes, size);
    trn_cut cut;
    const struct {
        float error;
        uint32_t clusters;
    } expected[] = {{0, 16},   {0.49f, 16}, {0.6f, 8},
                    {1.1f, 5}, {1.6f, 1},   {1e9f, 1}}; /* errors of level l: 0.5 (l + 1) .. */
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(trn_cut_make(data, &(trn_cut_def){.error = expected[i].error}, &cut, NULL), TRN_OK);
        assert_int_equal(cut.cluster_count, expected[i].clusters);
        trn_cut_free(&cut);
    }
    missing[0] = 1; /* the coarsest level is never missing */
    assert_int_equal(trn_cut_make(data, &(trn_cut_def){.missing = missing}, &cut, NULL), TRN_OK);
    assert_int_equal(cut.cluster_count, 16);
    trn_cut_free(&cut);
    missing[1] = 1; /* all finer pages depend on the next one */
    assert_int_equal(trn_cut_make(data, &(trn_cut_def){.missing = missing}, &cut, NULL), TRN_OK);
    assert_int_equal(cut.cluster_count, 1);
    trn_cut_free(&cut);
    trn_model_data_free(data);
    free(bytes);
}

/* ---- damage that verify must find, of kinds that a model of one page a level cannot have ---- */

enum {
#define PROOF_BIT(name, bit, text) name = 1u << (bit),
    TRN_VERIFY_PROOFS(PROOF_BIT)
#undef PROOF_BIT
};

/* All of `proofs` must fail, and nothing that is not in `allowed`. */
static void expect(uint8_t *bytes, size_t size, uint32_t proofs, uint32_t allowed, const char *what, uint32_t number) {
    tiny_model_rehash(bytes, size);
    trn_model_data *data = load(bytes, size);
    trn_verify_report report;
    assert_int_equal(trn_cook_verify(data, NULL, &report), TRN_OK);
    if ((report.failed & proofs) != proofs || (report.failed & ~(proofs | allowed)))
        fail_msg("%s %u: failed 0x%x, not 0x%x: %s", what, number, report.failed, proofs, report.text);
    trn_model_data_free(data);
}

static const paged_model_def many_pages = {.levels = 5, .page_groups = 1};

static void any_dropped_dependency_is_found(void **state) {
    (void)state;
    uint8_t *sound;
    size_t size = paged_model_make(&many_pages, &sound);
    uint8_t *bytes = paged_alloc(size);
    uint32_t pages = trni_get_u32(sound + TRNI_HEAD_PAGE_COUNT), several = 0;
    for (uint32_t p = 1; p < pages; p++) {
        const uint8_t *page = paged_model_page(sound, p);
        uint32_t first = trni_get_u32(page + TRNI_PAGE_FIRST_DEPENDENCY),
                 count = trni_get_u32(page + TRNI_PAGE_DEPENDENCY_COUNT);
        several += count > 1;
        for (uint32_t d = first; d < first + count; d++) {
            memcpy(bytes, sound, size);
            uint32_t on =
                trni_get_u32(paged_model_dependency(bytes, first)); /* the smallest goes away: a smaller one comes */
            if (on == 0) continue;                                  /* nothing else is coarser */
            if (d > first)
                memmove(paged_model_dependency(bytes, first + 1), paged_model_dependency(bytes, first),
                        4 * (size_t)(d - first));
            trni_put_u32(paged_model_dependency(bytes, first), 0);
            expect(bytes, size, PAGES, CUTS, "dependency", d);
        }
    }
    assert_true(several > 2); /* groups that feed several groups */
    free(bytes);
    free(sound);
}

static void bounds_of_any_page_are_held_to_its_groups(void **state) {
    (void)state;
    uint8_t *sound;
    size_t size = paged_model_make(&many_pages, &sound);
    uint8_t *bytes = paged_alloc(size);
    for (uint32_t p = 1; p < trni_get_u32(sound + TRNI_HEAD_PAGE_COUNT); p++) {
        static const uint32_t fields[] = {TRNI_PAGE_PARENT_ERROR, TRNI_PAGE_SPHERE + 12};
        for (size_t f = 0; f < 2; f++) {
            memcpy(bytes, sound, size);
            uint8_t *at = paged_model_page(bytes, p) + fields[f];
            trni_put_f32(at, trni_get_f32(at) * 0.99f);
            expect(bytes, size, PAGES, 0, "page", p);
        }
    }
    free(bytes);
    free(sound);
}

/* The first ring of a page that is not the first of its level: the page before has it too. */
static void vertex_moved_in_one_of_two_pages_is_found(void **state) {
    (void)state;
    uint8_t *sound;
    size_t size = paged_model_make(&many_pages, &sound);
    uint8_t *bytes = paged_alloc(size);
    for (uint32_t l = 0; l < many_pages.levels; l++) {
        uint32_t first = trni_get_u32(paged_model_level(sound, l) + TRNI_LEVEL_FIRST_PAGE);
        for (uint32_t p = first + 1; p < first + trni_get_u32(paged_model_level(sound, l) + TRNI_LEVEL_PAGE_COUNT);
             p++) {
            memcpy(bytes, sound, size);
            uint8_t *at = paged_model_element(bytes, p, TRN_CHUNK_VERTICES, 0) + TRNI_VERTEX_POSITION;
            trni_put_u16(at, (uint16_t)(trni_get_u16(at) + 1));
            /* In level 0 it is a slit in the source to LEVELS and to the cuts, as far as they show that slit. */
            if (l == 0)
                expect(bytes, size, BORDERS, CUTS, "level 0, page", p);
            else
                expect(bytes, size, LEVELS | BORDERS | CUTS, 0, "page", p);
        }
    }
    free(bytes);
    free(sound);
}

static void cluster_whose_child_page_is_another_of_that_level_is_found(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = paged_model_make(&many_pages, &bytes);
    uint32_t page = trni_get_u32(paged_model_level(bytes, 2) + TRNI_LEVEL_FIRST_PAGE);
    uint8_t *child = paged_model_element(bytes, page, TRN_CHUNK_CLUSTERS, 0) + TRNI_CLUSTER_CHILD_PAGE;
    trni_put_u32(child, trni_get_u32(child) + 1);
    expect(bytes, size, STAMPS | CUTS, 0, "child page", 0);
    free(bytes);
}

static void member_of_a_group_in_another_page_is_found(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = paged_model_make(&many_pages, &bytes);
    uint32_t page = trni_get_u32(paged_model_level(bytes, 0) + TRNI_LEVEL_FIRST_PAGE);
    uint8_t *a = paged_model_element(bytes, page, TRN_CHUNK_CLUSTERS, 0);
    const uint8_t *b = paged_model_element(bytes, page + 1, TRN_CHUNK_CLUSTERS, 0);
    memcpy(a + TRNI_CLUSTER_PARENT_SPHERE, b + TRNI_CLUSTER_PARENT_SPHERE, 16); /* with the stamps of its new group */
    memcpy(a + TRNI_CLUSTER_PARENT_ERROR, b + TRNI_CLUSTER_PARENT_ERROR, 4);
    memcpy(a + TRNI_CLUSTER_PARENT_GROUP, b + TRNI_CLUSTER_PARENT_GROUP, 4);
    expect(bytes, size, STRUCTURE | STAMPS | BORDERS, NESTED | CUTS, "member", 0);
    free(bytes);
}

static void terminal_cluster_that_a_level_lacks_is_found(void **state) {
    (void)state;
    uint8_t *bytes;
    size_t size = paged_model_make(&(paged_model_def){.levels = 3, .terminal = true}, &bytes);
    for (uint32_t l = 0; l < 3; l++) {
        uint8_t *count = paged_model_level(bytes, l) + TRNI_LEVEL_CLUSTER_COUNT;
        trni_put_u32(count, trni_get_u32(count) - 1);
        expect(bytes, size, LEVELS | STRUCTURE, 0, "level", l);
        trni_put_u32(count, trni_get_u32(count) + 1);
    }
    free(bytes);
}

/* ---- hostile bytes with the right checksums ---- */

static void any_changed_byte_is_refused_or_harmless(void **state) {
    (void)state;
    paged_model_def def = {.levels = 3, .sides = 3, .page_groups = 1, .terminal = true};
    uint8_t *sound, place[64 * TRN_CLUSTER_BYTES], missing[64];
    size_t size = paged_model_make(&def, &sound);
    static const uint8_t masks[] = {0x01, 0x80, 0xff, 0x10};
    uint8_t *bytes = paged_alloc(size);
    uint32_t opened = 0;
    memset(missing, 1, sizeof missing);
    for (size_t at = 0; at < size; at++)
        for (size_t m = 0; m < sizeof masks; m++) {
            memcpy(bytes, sound, size);
            bytes[at] ^= masks[m];
            tiny_model_rehash(bytes, size);
            trn_model_data *data = NULL;
            trn_error error = {0};
            trn_result result = trn_model_data_load(bytes, size, "changed", NULL, &data, &error);
            if (result != TRN_OK) {
                assert_int_equal(error.code, result);
                assert_memory_equal(error.text, "changed: ", 9);
                continue;
            }
            opened++;
            trn_model_info info;
            trn_model_get_info(trn_model_data_tables(data), &info);
            for (uint32_t c = 0; c < info.chunk_count; c++) {
                trn_model_chunk chunk;
                trn_model_get_chunk(trn_model_data_tables(data), c, &chunk);
                uint32_t most = chunk.count < 64 ? chunk.count : 64;
                trn_chunk_place(&chunk, bytes + chunk.offset, 0, most, place);
            }
            trn_verify_report report;
            assert_int_equal(trn_cook_verify(data, &(trn_verify_def){.cuts = 2}, &report), TRN_OK);
            trn_cut cut;
            assert_int_equal(trn_cut_make(data, &(trn_cut_def){.missing = missing}, &cut, NULL), TRN_OK);
            trn_cut_free(&cut);
            trn_model_data_free(data);
        }
    assert_true(opened > 0);
    free(bytes);
    free(sound);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_passes_all_proofs),
        cmocka_unit_test(every_cut_covers_the_surface_once),
        cmocka_unit_test(cut_follows_error_and_missing_pages),
        cmocka_unit_test(any_dropped_dependency_is_found),
        cmocka_unit_test(bounds_of_any_page_are_held_to_its_groups),
        cmocka_unit_test(vertex_moved_in_one_of_two_pages_is_found),
        cmocka_unit_test(cluster_whose_child_page_is_another_of_that_level_is_found),
        cmocka_unit_test(member_of_a_group_in_another_page_is_found),
        cmocka_unit_test(terminal_cluster_that_a_level_lacks_is_found),
        cmocka_unit_test(any_changed_byte_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
