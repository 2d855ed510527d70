/* SPDX-License-Identifier: MIT */
/* The demo's island: the same everywhere, closed by the sea, and tiles that meet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <terrane_cook/cook.h>

#include "island.h"

static void height_is_the_same_on_every_machine(void **state) {
    (void)state;
    uint64_t sum = 1469598103934665603u; /* FNV-1a over heights in grains */
    for (int j = 0; j < 96; j++)
        for (int i = 0; i < 96; i++) {
            int64_t grains = (int64_t)(island_height(i * 32.5, j * 32.5) / ISLAND_GRAIN);
            for (int byte = 0; byte < 8; byte++) sum = (sum ^ ((uint64_t)grains >> (8 * byte) & 255)) * 1099511628211u;
        }
    assert_true(sum == 0x4723661196e15884u);
}

static void height_is_a_multiple_of_the_grain(void **state) {
    (void)state;
    for (int i = 0; i < 5000; i++) {
        double grains = island_height(i * 0.61, i * 0.37) / ISLAND_GRAIN;
        assert_true(grains == floor(grains));
    }
}

static void rim_lies_below_the_sea_and_peaks_are_high(void **state) {
    (void)state;
    double highest = -1000, deepest = 1000;
    for (int i = 0; i <= ISLAND_SIZE; i += 4) {
        assert_true(island_height(i, 0) < -2 && island_height(i, ISLAND_SIZE) < -2);
        assert_true(island_height(0, i) < -2 && island_height(ISLAND_SIZE, i) < -2);
        for (int j = 0; j <= ISLAND_SIZE; j += 16) {
            double height = island_height(i, j);
            if (height > highest) highest = height;
            if (height < deepest) deepest = height;
        }
    }
    assert_true(highest > 300);
    assert_true(highest - deepest < 1023); /* what 65,535 steps of one grain reach */
}

static void neighbouring_tiles_have_the_same_border(void **state) {
    (void)state;
    const uint32_t side = ISLAND_TILE_QUADS + 1;
    island_mesh west, east, south;
    assert_true(island_tile(4, 5, &west) && island_tile(5, 5, &east) && island_tile(4, 6, &south));
    for (uint32_t i = 0; i < side; i++) {
        const uint32_t right = i * side + side - 1, left = i * side, low = (side - 1) * side + i, high = i;
        assert_true(west.positions[right * 3] == ISLAND_TILE && east.positions[left * 3] == 0);
        assert_memory_equal(&west.positions[right * 3 + 1], &east.positions[left * 3 + 1], 2 * sizeof(float));
        assert_memory_equal(&west.normals[right * 3], &east.normals[left * 3], 3 * sizeof(float));
        assert_memory_equal(&west.colors[right * 4], &east.colors[left * 4], 4);
        assert_memory_equal(&west.positions[low * 3], &south.positions[high * 3], 2 * sizeof(float));
    }
    island_mesh_free(&west);
    island_mesh_free(&east);
    island_mesh_free(&south);
}

/* Every border vertex of every level stays, on a grid on which it is exact. */
static void cooked_tile_keeps_its_border_exactly(void **state) {
    (void)state;
    const uint32_t side = ISLAND_TILE_QUADS + 1;
    island_mesh mesh;
    assert_true(island_tile(6, 4, &mesh));
    trn_cook_def def = {.levels = TRN_COOK_LEVELS_AUTO, .lock_mesh_border = true, .name = "tile"};
    trn_cook_mesh source = {.positions = mesh.positions,
                            .normals = mesh.normals,
                            .colors = mesh.colors,
                            .vertex_count = mesh.vertex_count,
                            .indices = mesh.indices,
                            .index_count = mesh.index_count};
    trn_cooked cooked;
    trn_error error = {0};
    assert_int_equal(trn_cook(&def, &source, &cooked, &error), TRN_OK);
    trn_model_data *data;
    assert_int_equal(trn_model_data_load(cooked.bytes, cooked.size, "tile", NULL, &data, &error), TRN_OK);
    trn_model_info info;
    trn_model_get_info(trn_model_data_tables(data), &info);
    assert_true(info.level_count > 3);
    assert_true((double)info.grid_step <= ISLAND_GRAIN);
    for (int axis = 0; axis < 3; axis++) assert_true(fmod(info.grid_origin[axis], (double)info.grid_step) == 0);

    const float errors[] = {0, 1, 1e6f};
    uint64_t triangles = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        trn_cut_def at = {.error = errors[i]};
        trn_cut cut;
        assert_int_equal(trn_cut_make(data, &at, &cut, &error), TRN_OK);
        assert_true(cut.triangle_count < triangles);
        triangles = cut.triangle_count;
        uint32_t found = 0;
        for (uint32_t v = 0; v < cut.vertex_count; v++) {
            const double *p = &cut.positions[v * 3];
            if (p[0] != 0) continue;
            double row = p[2] / (ISLAND_TILE / ISLAND_TILE_QUADS);
            assert_true(row == floor(row));
            assert_true(p[1] == (double)mesh.positions[(uint32_t)row * side * 3 + 1]);
            found++;
        }
        assert_int_equal(found, side);
        trn_cut_free(&cut);
    }
    trn_model_data_free(data);
    trn_cooked_free(&cooked);
    island_mesh_free(&mesh);
}

static void generated_meshes_have_good_indices_and_unit_normals(void **state) {
    (void)state;
    for (int which = 0; which < 3; which++) {
        island_mesh mesh;
        assert_true(which == 0 ? island_tree(&mesh) : which == 1 ? island_rock(&mesh) : island_tile(0, 0, &mesh));
        assert_int_equal(mesh.index_count % 3, 0);
        for (uint32_t i = 0; i < mesh.index_count; i++) assert_true(mesh.indices[i] < mesh.vertex_count);
        for (uint32_t i = 0; i < mesh.vertex_count; i++) {
            const float *n = &mesh.normals[i * 3];
            assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-4f);
        }
        island_mesh_free(&mesh);
    }
}

static void render_origin_places_border_vertices_exactly(void **state) {
    (void)state;
    const double camera[3] = {1557.3017, 44.913, 812.77};
    double origin[3];
    island_origin(camera, origin);
    for (int tile = 0; tile + 1 < ISLAND_TILES; tile++) {
        float west = (float)(tile * ISLAND_TILE - origin[0]), east = (float)((tile + 1) * ISLAND_TILE - origin[0]);
        assert_true(west + (float)ISLAND_TILE == east);
        assert_true((float)(-origin[1]) + 123.453125f == (float)(123.453125 - origin[1]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(height_is_the_same_on_every_machine),
        cmocka_unit_test(height_is_a_multiple_of_the_grain),
        cmocka_unit_test(rim_lies_below_the_sea_and_peaks_are_high),
        cmocka_unit_test(neighbouring_tiles_have_the_same_border),
        cmocka_unit_test(cooked_tile_keeps_its_border_exactly),
        cmocka_unit_test(generated_meshes_have_good_indices_and_unit_normals),
        cmocka_unit_test(render_origin_places_border_vertices_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
