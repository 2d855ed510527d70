/* 01_hello: a whole host in its fewest honest lines.
 *
 * Eleven regions in a row, each with one copy of a cooked model; a player walks along them. No window and no GPU:
 * the mesh memory is this program's own, so that the copies of a frame are plain memory copies.
 *
 *     01_hello MODEL.trn
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrane/terrane.h>
#include <terrane_host/host.h>

#define REGIONS 11

int main(int argc, char **argv) {
    static const char *const state_names[] = {"unloaded", "resident", "active", "loading", "unloading"};
    trn_host *host = NULL;
    trn_world *world = NULL;
    trn_error error = {0};
    if (argc != 2) return fprintf(stderr, "usage: 01_hello MODEL.trn\n"), 2;

    /* Threads and file reads; then a world with 64 MiB for meshes. Zero anywhere is the documented default. */
    trn_host_def host_def = {.worker_count = 2};
    if (trn_host_create(&host_def, &host) != TRN_OK) return 1;
    trn_world_def world_def = {.mesh_memory_bytes = 64u << 20, .inbox = trn_host_inbox(host), .auto_confirm = true};
    if (trn_world_create(&world_def, &world) != TRN_OK) return 1;
    char *mesh_memory[TRN_ARENA_COUNT]; /* a renderer has two buffers on the GPU instead */
    for (int i = 0; i < TRN_ARENA_COUNT; i++) mesh_memory[i] = malloc(trn_world_arena_bytes(world, (trn_arena)i));

    trn_model_id model;
    if (trn_host_open_model(host, world, argv[1], &model, &error) != TRN_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    for (int i = 0; i < REGIONS; i++) {
        char name[24];
        trn_region_id region;
        trn_instance_id instance;
        snprintf(name, sizeof name, "block %d", i);
        trn_region_def block = {.name = name, .box = {.min = {i * 100.0, 0, -50}, .max = {i * 100.0 + 100, 20, 50}}};
        trn_region_create(world, &block, &region);
        trn_instance_def prop = {.region = region, .model = model, .pose = {.position = {i * 100.0 + 50, 0, 0}}};
        trn_instance_create(world, &prop, &instance);
    }

    for (int frame = 0; frame < 300; frame++) {
        /* What is true this frame: who needs the world around him, and who looks at it. */
        trn_source player = {.position = {frame * 4.0, 2, 0}, .radius = 150, .target = TRN_STATE_ACTIVE};
        trn_view eye = {.position = {frame * 4.0, 2, 0}, .fov_y = 1.0f, .near_plane = 0.1f, .viewport_height = 1080};
        trn_frame now = {.sources = &player, .source_count = 1, .views = &eye, .view_count = 1};
        trn_world_update(world, &now);

        const trn_event *events;
        for (uint32_t i = 0, n = trn_world_events(world, &events); i < n; i++)
            if (events[i].type == TRN_EVENT_REGION_STATE)
                printf("frame %3d  %-9s %s\n", frame, trn_region_name(world, events[i].region),
                       state_names[events[i].to]);

        trn_host_serve(host, world); /* starts the reads asked for; the ring writes are done when it returns */

        const trn_copy *copies; /* a renderer records these as buffer copies and submits them with the frame */
        for (uint32_t i = 0, n = trn_world_copies(world, &copies); i < n; i++)
            memcpy(mesh_memory[copies[i].arena] + copies[i].to, copies[i].from, copies[i].bytes);

        const trn_draw *draws; /* a renderer runs the cluster test of terrane_shared.h over the pages of each */
        uint32_t draw_count = trn_world_draws(world, 0, &draws);
        if (frame % 50 == 49) {
            trn_world_stats stats;
            trn_world_get_stats(world, &stats);
            printf("frame %3d  draws %u, %.1f MiB of meshes in memory\n", frame, draw_count,
                   (double)stats.resident_bytes / (1 << 20));
        }
    }
    trn_world_destroy(world); /* never waits; what is still being read is thrown away when it arrives */
    trn_host_destroy(host);
    for (int i = 0; i < TRN_ARENA_COUNT; i++) free(mesh_memory[i]);
    return 0;
}
