/* SPDX-License-Identifier: MIT */
#include "catalog.h"

#include <stdlib.h>
#include <string.h>

#include "terrain.h"

void catalog_name(uint32_t model, char name[32]) {
    if (model < LAYOUT_TILES)
        snprintf(name, 32, "tile %u %u", model % ISLAND_TILES, model / ISLAND_TILES);
    else
        snprintf(name, 32, "%s", demo_models[model - LAYOUT_FIRST_MODEL].name);
}

static bool read_head(catalog_entry *entry, trn_error *error) {
    FILE *from = fopen(entry->path, "rb");
    if (!from) return snprintf(error->text, sizeof error->text, "%.200s: cannot be opened", entry->path), false;
    unsigned char header[TRN_MODEL_HEADER_BYTES];
    uint64_t head_bytes = 0;
    bool good = false;
    snprintf(error->text, sizeof error->text, "%.200s: cannot be read", entry->path);
    if (fread(header, 1, sizeof header, from) == sizeof header &&
        trn_model_head_bytes(header, sizeof header, &head_bytes, error) == TRN_OK) {
        void *head = malloc((size_t)head_bytes);
        rewind(from);
        good = head && fread(head, 1, (size_t)head_bytes, from) == head_bytes &&
               trn_model_open(head, (size_t)head_bytes, 0, entry->path, NULL, &entry->tables, error) == TRN_OK;
        free(head);
    }
    fclose(from);
    return good;
}

static uint64_t placed_bytes(const trn_model *tables, uint32_t chunk_count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < chunk_count; i++) {
        trn_model_chunk chunk;
        if (trn_model_get_chunk(tables, i, &chunk) == TRN_OK) sum += chunk.placed_bytes;
    }
    return sum;
}

bool catalog_open(const char *folder, catalog *out, char error[256]) {
    memset(out, 0, sizeof *out);
    out->count = LAYOUT_FIRST_MODEL + demo_model_count;
    for (uint32_t i = 0; i < out->count; i++) {
        catalog_entry *entry = &out->entries[i];
        trn_error why = {0};
        if (i < LAYOUT_TILES)
            terrain_path(entry->path, folder, i % ISLAND_TILES, i / ISLAND_TILES);
        else
            snprintf(entry->path, sizeof entry->path, "%s/%s.trn", folder, demo_models[i - LAYOUT_FIRST_MODEL].name);
        if (read_head(entry, &why)) {
            trn_model_get_info(entry->tables, &entry->info);
            out->placed_bytes += placed_bytes(entry->tables, entry->info.chunk_count);
        } else if (i < LAYOUT_TILES) {
            snprintf(error, 256, "%s", why.text);
            catalog_close(out);
            return false;
        } else {
            fprintf(stderr, "demo: left out: %s\n", why.text);
        }
    }
    return true;
}

void catalog_close(catalog *out) {
    for (uint32_t i = 0; i < out->count; i++) trn_model_close(out->entries[i].tables);
    out->count = 0;
}
