/* SPDX-License-Identifier: MIT */
/* Cook to pixels: a sphere is cooked, opened, placed chunk by chunk in mesh memory, and drawn where several levels meet. */
#include "render_fixture.h"

#include <terrane/model.h>
#include <terrane_cook/cook.h>

#define QUADS 48u /* along each edge of the cube that the sphere comes from */
#define CORNERS ((QUADS + 1) * (QUADS + 1))
#define MAX_PAGES 64u

/* All of a model's pages in mesh memory, with what the CPU needs to make the same choice. */
typedef struct loaded_model {
    uint32_t page_count;
    trn_page_entry pages[MAX_PAGES];
    uint32_t *clusters;
    uint32_t cluster_count;
} loaded_model;

static trn_cooked cook_sphere(void) {
    static float positions[6 * CORNERS * 3];
    static uint32_t indices[6 * QUADS * QUADS * 6];
    uint32_t vertex = 0, index = 0;
    for (uint32_t side = 0; side < 6; side++) {
        for (uint32_t j = 0; j <= QUADS; j++) {
            for (uint32_t i = 0; i <= QUADS; i++, vertex++) {
                double point[3];
                patch_sphere_point(side, (double)i / QUADS, (double)j / QUADS, point);
                /* rounded, so that the sides' common edges weld */
                for (uint32_t k = 0; k < 3; k++) positions[3 * vertex + k] = (float)(round(point[k] * 32768) / 32768);
                if (i == QUADS || j == QUADS) continue;
                uint32_t quad[6] = {vertex, vertex + 1,         vertex + QUADS + 2,
                                    vertex, vertex + QUADS + 2, vertex + QUADS + 1};
                for (int k = 0; k < 6; k++) indices[index++] = quad[k];
            }
        }
    }
    trn_cook_mesh mesh = {.positions = positions, .vertex_count = vertex, .indices = indices, .index_count = index};
    trn_cook_def def = {.levels = TRN_COOK_LEVELS_AUTO, .name = "sphere"};
    trn_cooked cooked;
    trn_error error = {0};
    if (trn_cook(&def, &mesh, &cooked, &error) != TRN_OK) fail_msg("%s", error.text);
    return cooked;
}

/* Places one chunk; its offset in the arena follows from the page's base and the chunk's first element. */
static void place(const trn_model *tables, uint32_t number, const trn_cooked *cooked, loaded_model *model,
                  const trn_page_entry *page) {
    trn_model_chunk chunk;
    trn_error error = {0};
    assert_int_equal(trn_model_get_chunk(tables, number, &chunk), TRN_OK);
    if (chunk.kind == TRN_CHUNK_GROUPS) return;
    const uint8_t *stored = (const uint8_t *)cooked->bytes + chunk.offset;
    if (trn_chunk_check(&chunk, model->page_count, stored, chunk.stored_bytes, &error) != TRN_OK)
        fail_msg("%s", error.text);
    void *placed = malloc(chunk.placed_bytes);
    assert_non_null(placed);
    trn_chunk_place(&chunk, stored, 0, chunk.count, placed);
    if (chunk.kind == TRN_CHUNK_VERTICES) {
        renderer_copy(shared, TRN_ARENA_VERTICES, (uint64_t)(page->vertex_base + chunk.first) * TRN_VERTEX_BYTES,
                      placed, chunk.placed_bytes);
    } else {
        uint64_t to = (uint64_t)(page->cluster_base + chunk.first) * TRN_CLUSTER_BYTES;
        renderer_copy(shared, TRN_ARENA_CLUSTERS, to, placed, chunk.placed_bytes);
        memcpy((uint8_t *)model->clusters + to, placed, chunk.placed_bytes);
    }
    free(placed);
}

static void load(const trn_cooked *cooked, loaded_model *model) {
    trn_model *tables;
    trn_error error = {0};
    uint64_t head_bytes;
    trn_model_info info;
    assert_int_equal(trn_model_head_bytes(cooked->bytes, TRN_MODEL_HEADER_BYTES, &head_bytes, &error), TRN_OK);
    if (trn_model_open(cooked->bytes, head_bytes, cooked->size, "sphere", NULL, &tables, &error) != TRN_OK)
        fail_msg("%s", error.text);
    trn_model_get_info(tables, &info);
    assert_true(info.level_count >= 4 && info.page_count <= MAX_PAGES);

    renderer_model look = {.grid_step = info.grid_step, .color = {0.75f, 0.42f, 0.25f}};
    for (int k = 0; k < 3; k++) look.grid_origin[k] = (float)info.grid_origin[k];
    renderer_set_model(shared, 1, &look);

    model->page_count = info.page_count;
    model->clusters = calloc(info.cluster_count, TRN_CLUSTER_BYTES);
    assert_non_null(model->clusters);
    uint32_t vertices = 0;
    for (uint32_t i = 0; i < info.page_count; i++) {
        trn_model_page page;
        assert_int_equal(trn_model_get_page(tables, i, &page), TRN_OK);
        model->pages[i] = (trn_page_entry){vertices, model->cluster_count, page.cluster_count, TRN_PAGE_RESIDENT};
        vertices += page.vertex_count;
        model->cluster_count += page.cluster_count;
        for (uint32_t chunk = 0; chunk < page.chunk_count; chunk++)
            place(tables, page.first_chunk + chunk, cooked, model, &model->pages[i]);
    }
    assert_int_equal(model->cluster_count, info.cluster_count);
    renderer_set_pages(shared, model->pages, 0, model->page_count);
    trn_model_close(tables);
}

/* ---- Statements -------------------------------------------------------------------------------------------------- */

static void keep_picture(const char *name) { assert_true(png_write(name, picture, SIZE, SIZE)); }

static void cooked_sphere_covers_its_disc_without_holes(void **state) {
    const loaded_model *model = *state;
    static const float away[] = {2.8f, 5.0f, 10.0f, 20.0f, 40.0f};
    for (int mode = RENDERER_SHADED; mode <= RENDERER_DEBUG; mode++) {
        uint64_t triangles = UINT64_MAX;
        for (int i = 0; i < 5; i++) {
            trn_draw draw = sphere_draw(0, 0, -away[i], model->page_count);
            renderer_frame frame = plain_frame((renderer_mode)mode);
            renderer_stats stats = draw_scene(&draw, 1, &frame);
            if (i == 0) keep_picture(mode == RENDERER_SHADED ? "sphere_shaded.png" : "sphere_debug.png");
            expect_disc((double)away[i], (renderer_mode)mode, 1);
            assert_true(stats.triangles < triangles);
            triangles = stats.triangles;
        }
    }
}

/* Levels among the clusters of the last picture. */
static uint32_t levels_in_picture(const loaded_model *model) {
    static renderer_visible_cluster visible[1 << 12];
    uint32_t count = renderer_read_visible(shared, visible, 1 << 12), seen = 0, levels = 0;
    assert_true(count <= 1 << 12);
    for (uint32_t i = 0; i < count; i++) {
        trn_cluster_record record;
        memcpy(&record, model->clusters + (size_t)visible[i].slot * TRN_CLUSTER_WORDS, sizeof record);
        seen |= 1u << (record.counts >> 16 & 31u);
    }
    for (; seen != 0; seen &= seen - 1) levels++;
    return levels;
}

/* Close by and with a wide view, levels change along the surface. Back faces are culled: a pixel of background within the
 * outline is a crack. */
static void levels_meet_without_cracks(void **state) {
    const loaded_model *model = *state;
    uint32_t most = 0, mixed = 0;
    for (int step = 0; step < 48; step++) {
        float angle = 0.13f * (float)step, away = 1.02f + 0.01f * (float)(step % 12), c = cosf(angle), s = sinf(angle);
        trn_draw draw = sphere_draw(0, 0, -away, model->page_count);
        /* turned about x by the angle; the eye with it, the other way */
        draw.matrix[5] = c, draw.matrix[6] = s, draw.matrix[9] = -s, draw.matrix[10] = c;
        draw.eye[0] = 0, draw.eye[1] = s * away, draw.eye[2] = c * away;
        draw.pixels_per_error = 20.0f * powf(1.7f, (float)(step % 10));
        draw.near_distance = 0.01f;
        renderer_frame frame = plain_frame(RENDERER_DEBUG);
        frame.near_plane = 0.01f;
        frame.fov_y = 2.2f;
        draw_scene(&draw, 1, &frame);

        uint32_t levels = levels_in_picture(model);
        mixed += levels > 1;
        if (levels > most) keep_picture("sphere_close_debug.png");
        most = levels > most ? levels : most;
        double radius = 0.95 / sqrt((double)(away * away) - 1) * SIZE / (2 * tan(1.1));
        for (uint32_t y = 0; y < SIZE; y++) {
            for (uint32_t x = 0; x < SIZE; x++) {
                double dx = x + 0.5 - SIZE / 2.0, dy = y + 0.5 - SIZE / 2.0;
                if (dx * dx + dy * dy < radius * radius) assert_true(covered(x, y));
            }
        }
    }
    assert_true(most >= 3 && mixed >= 24);
}

static void cones_and_frustum_hide_nothing(void **state) {
    const loaded_model *model = *state;
    static float kept[PIXELS];
    uint64_t seed = 5, fewer = 0;
    for (int round = 0; round < 20; round++) {
        trn_draw draw = sphere_draw((float)random_between(&seed, -0.8, 0.8), (float)random_between(&seed, -0.8, 0.8),
                                    (float)random_between(&seed, -4, -1.4), model->page_count);
        renderer_frame frame = plain_frame(RENDERER_DEBUG);
        frame.keep_all = true;
        uint32_t all = draw_scene(&draw, 1, &frame).clusters;
        memcpy(kept, distances, sizeof kept);
        frame.keep_all = false;
        fewer += all - draw_scene(&draw, 1, &frame).clusters;
        assert_memory_equal(kept, distances, sizeof kept);
    }
    assert_true(fewer > 100);
}

static void cooked_clusters_are_chosen_as_on_the_cpu(void **state) {
    const loaded_model *model = *state;
    enum { COUNT = 40, CAPACITY = 1 << 17 };
    static trn_draw draws[COUNT];
    static renderer_visible_cluster visible[CAPACITY];
    uint64_t seed = 11;
    uint8_t *expected = malloc((size_t)COUNT * model->cluster_count);
    assert_non_null(expected);
    for (uint32_t round = 0; round < 4; round++) {
        /* pages go from the fine end: what is resident is closed upward */
        trn_page_entry pages[MAX_PAGES];
        memcpy(pages, model->pages, sizeof pages);
        for (uint32_t p = model->page_count - round; p < model->page_count; p++) pages[p].state = 0;
        renderer_set_pages(shared, pages, 0, model->page_count);
        uint32_t count = 0;
        for (uint32_t d = 0; d < COUNT; d++) {
            draws[d] = sphere_draw(0, 0, 0, model->page_count);
            for (int k = 0; k < 3; k++) draws[d].eye[k] = (float)random_between(&seed, -4, 4);
            draws[d].pixels_per_error *= (float)random_between(&seed, 0.1, 2);
            for (uint32_t p = 0; p < model->page_count; p++) {
                for (uint32_t c = 0; c < pages[p].cluster_count; c++) {
                    uint32_t slot = pages[p].cluster_base + c;
                    trn_cluster_record record;
                    memcpy(&record, model->clusters + (size_t)slot * TRN_CLUSTER_WORDS, sizeof record);
                    bool wanted = (pages[p].state & TRN_PAGE_RESIDENT) && cpu_draws(&record, &draws[d], pages);
                    expected[(size_t)d * model->cluster_count + slot] = wanted;
                    count += wanted;
                }
            }
        }
        renderer_frame frame = plain_frame(RENDERER_DEBUG);
        frame.keep_all = true;
        assert_int_equal(draw_scene(draws, COUNT, &frame).clusters, count);
        assert_true(count > COUNT && count <= CAPACITY);
        assert_int_equal(renderer_read_visible(shared, visible, CAPACITY), count);
        for (uint32_t i = 0; i < count; i++) {
            uint8_t *cell = &expected[(size_t)visible[i].draw * model->cluster_count + visible[i].slot];
            assert_int_equal(*cell, 1);
            *cell = 0;
        }
    }
    renderer_set_pages(shared, model->pages, 0, model->page_count);
    free(expected);
}

static int set_up(void **state) {
    static loaded_model model;
    trn_cooked cooked = cook_sphere();
    load(&cooked, &model);
    trn_cooked_free(&cooked);
    *state = &model;
    return 0;
}

static int tear_down(void **state) {
    loaded_model *model = *state;
    free(model->clusters);
    return 0;
}

int main(void) {
    if (!fixture_open()) return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cooked_sphere_covers_its_disc_without_holes),
        cmocka_unit_test(cones_and_frustum_hide_nothing),
        cmocka_unit_test(levels_meet_without_cracks),
        cmocka_unit_test(cooked_clusters_are_chosen_as_on_the_cpu),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    renderer_destroy(shared);
    return failed;
}
