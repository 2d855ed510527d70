/* SPDX-License-Identifier: MIT */
/* The example renderer and the shader headers, on whatever OpenGL 4.5 this machine has; without one the test is skipped. */
#include "render_fixture.h"

/* Puts a patch model at the start of mesh memory, page table included; it is model 1. */
static void upload(renderer *r, const patch_model *model) {
    renderer_model info = {.grid_origin = {PATCH_GRID_ORIGIN, PATCH_GRID_ORIGIN, PATCH_GRID_ORIGIN},
                           .grid_step = PATCH_GRID_STEP,
                           .color = {0.8f, 0.8f, 0.8f}};
    renderer_set_model(r, 1, &info);
    renderer_copy(r, TRN_ARENA_VERTICES, 0, model->vertices, (uint64_t)model->vertex_count * TRN_VERTEX_BYTES);
    renderer_copy(r, TRN_ARENA_CLUSTERS, 0, model->clusters, (uint64_t)model->cluster_count * TRN_CLUSTER_BYTES);
    renderer_set_pages(r, model->pages, 0, PATCH_LEVELS);
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

static void sphere_covers_its_disc_without_holes_at_every_level(void **state) {
    (void)state;
    static const float away[] = {3.0f, 6.0f, 12.0f, 24.0f};
    for (int mode = RENDERER_SHADED; mode <= RENDERER_DEBUG; mode++) {
        uint64_t triangles = UINT64_MAX;
        for (int i = 0; i < 4; i++) {
            trn_draw draw = sphere_draw(0, 0, -away[i], PATCH_LEVELS);
            renderer_frame frame = plain_frame((renderer_mode)mode);
            renderer_stats stats = draw_scene(&draw, 1, &frame);
            expect_disc((double)away[i], (renderer_mode)mode, 0);
            assert_true(stats.triangles <= triangles);
            assert_true(stats.triangles == (uint64_t)stats.clusters * PATCH_TRIANGLES);
            triangles = stats.triangles;
        }
    }
}

static void levels_follow_distance_and_residency(void **state) {
    (void)state;
    patch_model *model = *state;
    renderer_frame frame = plain_frame(RENDERER_DEBUG);
    frame.keep_all = true;
    for (uint32_t level = 0; level < PATCH_LEVELS; level++) {
        /* K between the numbers that refine this level and the next coarser one, for an eye at distance 3 of radius 1.01 */
        trn_draw draw = sphere_draw(0, 0, -3, PATCH_LEVELS);
        float finer = level == 0 ? 0 : model->errors[level],
              coarser = level == PATCH_LEVELS - 1 ? 1 : model->errors[level + 1];
        draw.pixels_per_error = level == 0                  ? 4 / coarser
                                : level == PATCH_LEVELS - 1 ? 1 / finer
                                                            : 4 / (finer + coarser);
        assert_int_equal(draw_scene(&draw, 1, &frame).clusters, model->clusters_of_level[level]);

        /* with all pages finer than the next coarser level missing, that one is drawn instead */
        if (level + 1 == PATCH_LEVELS) continue;
        trn_page_entry pages[PATCH_LEVELS];
        memcpy(pages, model->pages, sizeof pages);
        for (uint32_t page = PATCH_LEVELS - 1 - level; page < PATCH_LEVELS; page++) pages[page].state = 0;
        renderer_set_pages(shared, pages, 0, PATCH_LEVELS);
        assert_int_equal(draw_scene(&draw, 1, &frame).clusters, model->clusters_of_level[level + 1]);
        renderer_set_pages(shared, model->pages, 0, PATCH_LEVELS);

        /* the same when the world says that they may not be drawn yet */
        draw.page_count = PATCH_LEVELS - 1 - level;
        assert_int_equal(draw_scene(&draw, 1, &frame).clusters, model->clusters_of_level[level + 1]);
    }
}

static void distances_are_those_of_the_sphere(void **state) {
    (void)state;
    trn_draw draw = sphere_draw(0, 0, -3, PATCH_LEVELS);
    renderer_frame frame = plain_frame(RENDERER_SHADED);
    draw_scene(&draw, 1, &frame);
    assert_float_equal(distances[SIZE / 2 * SIZE + SIZE / 2], 2.0f, 0.002f);
}

static void up_is_up_and_right_is_right(void **state) {
    (void)state;
    trn_draw draw = sphere_draw(2, 1, -8, PATCH_LEVELS);
    renderer_frame frame = plain_frame(RENDERER_DEBUG);
    draw_scene(&draw, 1, &frame);
    /* its middle: focal length x place / depth, rows counted from the top */
    double focal = SIZE / (2 * tan((double)FOV / 2));
    uint32_t x = (uint32_t)(SIZE / 2.0 + focal * 2 / 8), y = (uint32_t)(SIZE / 2.0 - focal / 8);
    assert_true(covered(x, y));
    assert_false(covered(SIZE - 1 - x, y));
    assert_false(covered(x, SIZE - 1 - y));
    assert_true(picture[4 * (y * SIZE + x)] > 60 || picture[4 * (y * SIZE + x) + 1] > 60);
}

/* What the eye sees must not depend on what is culled: pictures with and without the tests are the same. */
static void culling_changes_no_pixel(void **state) {
    (void)state;
    static float kept[PIXELS];
    uint64_t seed = 7;
    uint32_t fewer = 0;
    for (int round = 0; round < 12; round++) {
        trn_draw draws[24];
        for (int i = 0; i < 24; i++)
            draws[i] = sphere_draw((float)random_between(&seed, -9, 9), (float)random_between(&seed, -9, 9),
                                   (float)random_between(&seed, -14, 6), PATCH_LEVELS);
        for (int i = 0; i < 8; i++) { /* and small ones just before the eye */
            float scale = (float)random_between(&seed, 0.02, 0.1);
            for (int axis = 0; axis < 3; axis++) {
                draws[i].matrix[5 * axis] = scale;
                draws[i].matrix[12 + axis] *= 0.06f;
                draws[i].eye[axis] = -draws[i].matrix[12 + axis] / scale;
            }
            draws[i].near_distance = NEAR / scale;
        }
        renderer_frame frame = plain_frame(RENDERER_DEBUG);
        frame.keep_all = true;
        uint32_t all = draw_scene(draws, 24, &frame).clusters;
        memcpy(kept, distances, sizeof kept);
        frame.keep_all = false;
        renderer_stats stats = draw_scene(draws, 24, &frame);
        assert_memory_equal(kept, distances, sizeof kept);
        assert_true(stats.clusters <= all && stats.draws_in_view <= 24);
        fewer += all - stats.clusters;
    }
    assert_true(fewer > 1000);
}

static void mirrored_model_looks_the_same(void **state) {
    (void)state;
    trn_draw draw = sphere_draw(0, 0, -4, PATCH_LEVELS);
    renderer_frame frame = plain_frame(RENDERER_SHADED);
    draw_scene(&draw, 1, &frame);
    uint32_t expected = covered_pixels();
    draw.matrix[0] = -1;
    renderer_stats stats = draw_scene(&draw, 1, &frame);
    expect_disc(4, RENDERER_SHADED, 0);
    assert_int_equal(covered_pixels(), expected);
    assert_float_equal(distances[SIZE / 2 * SIZE + SIZE / 2], 3.0f, 0.002f); /* the near side, not the far one */
    assert_true(stats.clusters > 0);
}

/* One side of the cube is kept: a bowl. Seen from its back it is there only when two-sided. */
static void back_faces_show_on_two_sided_clusters_only(void **state) {
    patch_model *model = *state;
    int backside = 0, lit = 0; /* brightness of the back, and of the front where it is certain */
    for (int two_sided = 0; two_sided <= 1; two_sided++) {
        patch_model bowl;
        assert_true(patch_model_make(&bowl, 1, two_sided ? TRN_CLUSTER_TWO_SIDED : 0));
        upload(shared, &bowl);
        trn_draw draw = sphere_draw(0, 0, -4, PATCH_LEVELS);
        renderer_frame frame = plain_frame(RENDERER_DEBUG);
        frame.light[2] = 1; /* from behind the eye: what faces it is bright, from both sides */
        const uint8_t *middle = picture + 4 * (SIZE / 2 * SIZE + SIZE / 2);
        /* the bowl lies toward +x of its model; turned so that +x points along -z, away from the eye */
        memset(draw.matrix, 0, 12 * sizeof(float));
        draw.matrix[2] = -1;
        draw.matrix[5] = 1;
        draw.matrix[8] = 1;
        draw.eye[0] = -4, draw.eye[1] = 0, draw.eye[2] = 0;
        draw_scene(&draw, 1, &frame);
        assert_int_equal(covered(SIZE / 2, SIZE / 2), two_sided);
        if (two_sided) {
            assert_float_equal(distances[SIZE / 2 * SIZE + SIZE / 2], 5.0f, 0.01f);
            backside = middle[0] + middle[1] + middle[2];
        }
        /* and turned toward the eye */
        draw.matrix[2] = 1;
        draw.matrix[8] = -1;
        draw.eye[0] = 4;
        draw_scene(&draw, 1, &frame);
        assert_float_equal(distances[SIZE / 2 * SIZE + SIZE / 2], 3.0f, 0.01f);
        if (two_sided) {
            assert_in_range(middle[0] + middle[1] + middle[2], lit * 4 / 5, lit * 5 / 4);
            assert_in_range(backside, lit * 4 / 5, lit * 5 / 4);
        } else {
            lit = middle[0] + middle[1] + middle[2];
        }
        patch_model_free(&bowl);
    }
    upload(shared, model);
}

static void more_clusters_than_buffers_hold_are_all_drawn(void **state) {
    patch_model *model = *state;
    enum { COUNT = 100 };
    static trn_draw draws[COUNT];
    for (int i = 0; i < COUNT; i++) {
        draws[i] = sphere_draw((float)(i % 10) * 0.3f - 1.35f, (float)(i / 10) * 0.3f - 1.35f, -6, PATCH_LEVELS);
        draws[i].pixels_per_error = 1.0e6f;
    }
    renderer_frame frame = plain_frame(RENDERER_DEBUG);
    frame.keep_all = true;
    renderer_stats stats = draw_scene(draws, COUNT, &frame);
    assert_int_equal(stats.clusters, COUNT * model->clusters_of_level[0]);
    assert_true(stats.triangles == (uint64_t)stats.clusters * PATCH_TRIANGLES);
    static float first[PIXELS];
    memcpy(first, distances, sizeof first);
    draw_scene(draws, COUNT, &frame);
    assert_true(covered_pixels() > PIXELS / 10);
    assert_memory_equal(first, distances, sizeof first);
}

static void nothing_to_draw_is_sky(void **state) {
    (void)state;
    renderer_frame frame = plain_frame(RENDERER_SHADED);
    renderer_stats stats = draw_scene(NULL, 0, &frame);
    assert_int_equal(stats.clusters, 0);
    assert_int_equal(covered_pixels(), 0);
    assert_true(picture[2] > picture[0]);
}

static void png_has_the_size_of_the_picture(void **state) {
    (void)state;
    static const uint8_t begin[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0,    13, 'I',
                                    'H',  'D', 'R', 0,   0,    1,    0x80, 0,    0, 1, 0x80, 8,  2};
    uint8_t bytes[sizeof begin] = {0};
    assert_true(png_write("test_renderer.png", picture, SIZE, SIZE));
    FILE *file = fopen("test_renderer.png", "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
    assert_memory_equal(bytes, begin, sizeof begin);
    assert_false(png_write("no such folder/picture.png", picture, SIZE, SIZE));
}

/* ---- The cut against the CPU ------------------------------------------------------------------------------------- */

#define RANDOM_PAGES 40u
#define RANDOM_PER_PAGE 70u
#define RANDOM_CLUSTERS (RANDOM_PAGES * RANDOM_PER_PAGE)
#define RANDOM_DRAWS 60u
#define RANDOM_MODEL_PAGES 8u

/* An error that lies a hair beside the threshold as seen by one of the draws, so that a wrong last bit shows. */
static float error_near_threshold(uint64_t *seed, const float sphere[4], const trn_draw *draw) {
    double away = 0;
    for (int k = 0; k < 3; k++) away += pow((double)draw->eye[k] - (double)sphere[k], 2);
    double reach = fmax(sqrt(away) - (double)sphere[3], 0.01);
    float error = (float)(reach / (double)draw->pixels_per_error);
    int steps = (int)random_below(seed, 7) - 3;
    for (; steps > 0; steps--) error = nextafterf(error, FLT_MAX);
    for (; steps < 0; steps++) error = nextafterf(error, 0);
    return error;
}

static void gpu_and_cpu_choose_the_same_clusters(void **state) {
    patch_model *model = *state;
    static trn_cluster_record records[RANDOM_CLUSTERS];
    static uint32_t words[RANDOM_CLUSTERS * TRN_CLUSTER_WORDS];
    static trn_draw draws[RANDOM_DRAWS];
    static uint8_t expected[RANDOM_DRAWS][RANDOM_CLUSTERS];
    static renderer_visible_cluster visible[RANDOM_DRAWS * RANDOM_CLUSTERS];
    uint64_t seed = 2024, chosen = 0;

    for (int round = 0; round < 6; round++) {
        trn_page_entry pages[RANDOM_PAGES];
        for (uint32_t i = 0; i < RANDOM_PAGES; i++)
            pages[i] = (trn_page_entry){0, i * RANDOM_PER_PAGE, random_below(&seed, RANDOM_PER_PAGE + 1),
                                        random_below(&seed, 4) != 0 ? TRN_PAGE_RESIDENT : 0};
        for (uint32_t i = 0; i < RANDOM_DRAWS; i++) {
            draws[i] = sphere_draw(0, 0, -5, PATCH_LEVELS);
            draws[i].first_page = random_below(&seed, RANDOM_PAGES / RANDOM_MODEL_PAGES) * RANDOM_MODEL_PAGES;
            draws[i].page_count = random_below(&seed, RANDOM_MODEL_PAGES + 1);
            draws[i].pixels_per_error = (float)pow(10, random_between(&seed, 0, 4));
            draws[i].near_distance = (float)random_between(&seed, 0.001, 0.5);
            for (int k = 0; k < 3; k++) draws[i].eye[k] = (float)random_between(&seed, -40, 40);
        }
        for (uint32_t i = 0; i < RANDOM_CLUSTERS; i++) {
            trn_cluster_record *c = &records[i];
            *c =
                (trn_cluster_record){.counts = 3u | 1u << 8, .child_page = random_below(&seed, RANDOM_MODEL_PAGES + 1)};
            if (c->child_page == RANDOM_MODEL_PAGES) c->child_page = TRN_NO_PAGE;
            for (int k = 0; k < 4; k++) {
                c->own_sphere[k] = (float)random_between(&seed, k < 3 ? -30 : 0, k < 3 ? 30 : 9);
                c->parent_sphere[k] = (float)random_between(&seed, k < 3 ? -30 : 0, k < 3 ? 30 : 9);
            }
            c->own_error = error_near_threshold(&seed, c->own_sphere, &draws[random_below(&seed, RANDOM_DRAWS)]);
            c->parent_error = error_near_threshold(&seed, c->parent_sphere, &draws[random_below(&seed, RANDOM_DRAWS)]);
            if (random_below(&seed, 8) == 0) c->counts |= TRN_CLUSTER_NO_OWN_GROUP;
            if (random_below(&seed, 8) == 0) c->counts |= TRN_CLUSTER_NO_PARENT_GROUP;
            if (random_below(&seed, 8) == 0) c->counts |= TRN_CLUSTER_TWO_SIDED;
            memcpy(words + (size_t)i * TRN_CLUSTER_WORDS, c, sizeof *c);
        }
        renderer_copy(shared, TRN_ARENA_CLUSTERS, 0, words, sizeof words);
        renderer_set_pages(shared, pages, 0, RANDOM_PAGES);

        uint32_t count = 0;
        memset(expected, 0, sizeof expected);
        for (uint32_t d = 0; d < RANDOM_DRAWS; d++) {
            for (uint32_t p = draws[d].first_page; p < draws[d].first_page + draws[d].page_count; p++) {
                if (!(pages[p].state & TRN_PAGE_RESIDENT)) continue;
                for (uint32_t c = 0; c < pages[p].cluster_count; c++) {
                    uint32_t slot = pages[p].cluster_base + c;
                    expected[d][slot] = cpu_draws(&records[slot], &draws[d], pages);
                    count += expected[d][slot];
                }
            }
        }

        renderer_frame frame = plain_frame(RENDERER_DEBUG);
        frame.keep_all = true;
        renderer_stats stats = draw_scene(draws, RANDOM_DRAWS, &frame);
        assert_int_equal(stats.clusters, count);
        assert_int_equal(renderer_read_visible(shared, visible, RANDOM_DRAWS * RANDOM_CLUSTERS), count);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(visible[i].draw < RANDOM_DRAWS && visible[i].slot < RANDOM_CLUSTERS);
            assert_int_equal(expected[visible[i].draw][visible[i].slot], 1);
            expected[visible[i].draw][visible[i].slot] = 0; /* each once */
        }
        chosen += count;
    }
    assert_true(chosen > 10000);
    upload(shared, model);
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static void impossible_definitions_are_refused_in_words(void **state) {
    (void)state;
    char text[RENDERER_ERROR_BYTES] = "";
    renderer_def def = small_renderer;
    def.width = 0;
    assert_null(renderer_create(&def, text));
    assert_true(strlen(text) > 10);
}

static int set_up(void **state) {
    static patch_model model;
    if (!patch_model_make(&model, 6, 0)) return -1;
    upload(shared, &model);
    *state = &model;
    return 0;
}

static int tear_down(void **state) {
    patch_model_free(*state);
    return 0;
}

int main(void) {
    if (!fixture_open()) return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_definitions_are_refused_in_words),
        cmocka_unit_test(more_clusters_than_buffers_hold_are_all_drawn), /* before others have made the buffers grow */
        cmocka_unit_test(nothing_to_draw_is_sky),
        cmocka_unit_test(sphere_covers_its_disc_without_holes_at_every_level),
        cmocka_unit_test(distances_are_those_of_the_sphere),
        cmocka_unit_test(up_is_up_and_right_is_right),
        cmocka_unit_test(levels_follow_distance_and_residency),
        cmocka_unit_test(culling_changes_no_pixel),
        cmocka_unit_test(mirrored_model_looks_the_same),
        cmocka_unit_test(back_faces_show_on_two_sided_clusters_only),
        cmocka_unit_test(gpu_and_cpu_choose_the_same_clusters),
        cmocka_unit_test(png_has_the_size_of_the_picture),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    renderer_destroy(shared);
    return failed;
}
