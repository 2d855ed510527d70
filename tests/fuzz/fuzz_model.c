/* SPDX-License-Identifier: MIT */
/* A model file from hostile bytes: as it is, and with its hashes put right so that what lies behind them is reached.
 * Whatever opens is placed, cut and verified. */
#include <stdlib.h>

#include <terrane_cook/cook.h>

#include "support/tiny_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void place_all(const trn_model *model, const uint8_t *bytes) {
    trn_model_info info;
    trn_model_get_info(model, &info);
    for (uint32_t c = 0; c < info.chunk_count; c++) {
        trn_model_chunk chunk;
        trn_model_get_chunk(model, c, &chunk);
        if (chunk.kind == TRN_CHUNK_GROUPS) continue;
        void *to = malloc(chunk.placed_bytes);
        if (!to) abort();
        trn_chunk_place(&chunk, bytes + chunk.offset, 0, chunk.count, to);
        free(to);
    }
}

static void try_model(const uint8_t *bytes, size_t size) {
    trn_model_data *data;
    trn_error error;
    if (trn_model_data_load(bytes, size, "fuzz", NULL, &data, &error) != TRN_OK) return;
    place_all(trn_model_data_tables(data), bytes);
    trn_cut cut;
    if (trn_cut_make(data, &(trn_cut_def){.error = 0.02f}, &cut, NULL) == TRN_OK) trn_cut_free(&cut);
    trn_verify_def def = {.cuts = 4, .seed = size};
    trn_verify_report report;
    if (trn_cook_verify(data, &def, &report) != TRN_OK) abort();
    if ((report.failed == 0) != (report.text[0] == 0) || (report.failed & report.passed)) abort();
    trn_model_data_free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_model(data, size);
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size) memcpy(copy, data, size);
    tiny_model_rehash(copy, size);
    try_model(copy, size);
    free(copy);
    return 0;
}
