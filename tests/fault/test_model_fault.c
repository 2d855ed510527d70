/* SPDX-License-Identifier: MIT */
/* Every allocation of opening, loading, cutting and verifying a model is refused in turn: it says so and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <terrane_cook/cook.h>

#include "support/fault_allocator.h"
#include "support/tiny_model.h"

typedef struct file {
    uint8_t *bytes;
    size_t size;
} file;

/* The allocator of a model is that of its cuts, so a cut is refused after the model was loaded. */
typedef trn_result scenario(const file *f, fault_allocator *fault, trn_error *error);

static trn_result open_one(const file *f, fault_allocator *fault, trn_error *error) {
    trn_allocator hook = fault_hook(fault);
    trn_model *model = NULL;
    trn_result result = trn_model_open(f->bytes, f->size, f->size, "tiny", &hook, &model, error);
    trn_model_close(model);
    return result;
}

static trn_result load_one(const file *f, fault_allocator *fault, trn_error *error) {
    trn_allocator hook = fault_hook(fault);
    trn_model_data *data = NULL;
    trn_result result = trn_model_data_load(f->bytes, f->size, "tiny", &hook, &data, error);
    trn_model_data_free(data);
    return result;
}

static trn_result cut_one(const file *f, fault_allocator *fault, trn_error *error) {
    trn_allocator hook = fault_hook(fault);
    trn_model_data *data = NULL;
    fault->armed = false;
    assert_int_equal(trn_model_data_load(f->bytes, f->size, "tiny", &hook, &data, error), TRN_OK);
    fault->armed = true;
    fault->calls = 0;
    trn_cut cut = {0};
    trn_result result = trn_cut_make(data, &(trn_cut_def){.error = 0.01f}, &cut, error);
    if (result != TRN_OK) assert_null(cut.positions);
    trn_cut_free(&cut);
    trn_model_data_free(data);
    return result;
}

static trn_result verify_one(const file *f, fault_allocator *fault, trn_error *error) {
    trn_model_data *data = NULL;
    assert_int_equal(trn_model_data_load(f->bytes, f->size, "tiny", NULL, &data, error), TRN_OK);
    trn_verify_def def = {.cuts = 6, .allocator = fault_hook(fault)};
    trn_verify_report report;
    trn_result result = trn_cook_verify(data, &def, &report);
    assert_int_equal(report.passed, result == TRN_OK ? 255 : 0);
    error->code = result;
    trn_model_data_free(data);
    return result;
}

static void try_all(scenario *run) {
    file f;
    f.size = tiny_model_make(&(tiny_model_def){.levels = 3, .clusters = 3, .chunk_vertices = 8}, &f.bytes);
    uint64_t n = 0;
    for (;; n++) {
        fault_allocator fault = {.fail_at = n, .armed = true};
        trn_error error = {0};
        trn_result result = run(&f, &fault, &error);
        assert_int_equal(result, fault.refused ? TRN_ERROR_OUT_OF_MEMORY : TRN_OK);
        assert_int_equal(error.code, result);
        assert_int_equal(fault.live_count, 0);
        assert_int_equal(fault.wrong_frees, 0);
        if (!fault.refused) break;
    }
    assert_true(n > 0);
    free(f.bytes);
}

static void refused_allocation_fails_the_open(void **state) {
    (void)state;
    try_all(open_one);
}
static void refused_allocation_fails_the_load(void **state) {
    (void)state;
    try_all(load_one);
}
static void refused_allocation_fails_the_cut(void **state) {
    (void)state;
    try_all(cut_one);
}
static void refused_allocation_fails_the_verification(void **state) {
    (void)state;
    try_all(verify_one);
}

static void refused_file_leaks_nothing(void **state) {
    (void)state;
    file f;
    f.size = tiny_model_make(NULL, &f.bytes);
    uint64_t head = trni_get_u64(f.bytes + TRNI_HEAD_HEAD_BYTES);
    for (size_t i = TRNI_HEAD_SIZE; i < f.size; i += 3) { /* in the tables, then in the chunks */
        fault_allocator fault = {0};
        trn_error error = {0};
        f.bytes[i] ^= 0xff;
        if (i < head) tiny_model_rehash(f.bytes, f.size);
        load_one(&f, &fault, &error);
        assert_int_equal(fault.live_count, 0);
        f.bytes[i] ^= 0xff;
        tiny_model_rehash(f.bytes, f.size);
    }
    free(f.bytes);
}

/* ---- cancelling ---- */

typedef struct patience {
    uint32_t calls, limit;
    float last;
} patience;

static bool be_patient(void *user, const char *phase, float done) {
    patience *p = user;
    assert_non_null(phase);
    assert_true(done >= p->last && done <= 1.0f);
    p->last = done;
    return p->calls++ < p->limit;
}

static void cancelled_verification_stops_and_leaks_nothing(void **state) {
    (void)state;
    file f;
    f.size = tiny_model_make(NULL, &f.bytes);
    trn_model_data *data;
    assert_int_equal(trn_model_data_load(f.bytes, f.size, NULL, NULL, &data, NULL), TRN_OK);
    for (uint32_t limit = 0;; limit++) {
        patience p = {.limit = limit};
        fault_allocator fault = {0};
        trn_verify_def def = {.cuts = 4, .allocator = fault_hook(&fault), .progress = be_patient, .progress_user = &p};
        trn_verify_report report;
        trn_result result = trn_cook_verify(data, &def, &report);
        assert_int_equal(fault.live_count, 0);
        if (result == TRN_OK) break;
        assert_int_equal(result, TRN_ERROR_CANCELLED);
        assert_int_equal(p.calls, limit + 1);
        assert_int_equal(report.passed, 0);
    }
    trn_model_data_free(data);
    free(f.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_allocation_fails_the_open),
        cmocka_unit_test(refused_allocation_fails_the_load),
        cmocka_unit_test(refused_allocation_fails_the_cut),
        cmocka_unit_test(refused_allocation_fails_the_verification),
        cmocka_unit_test(refused_file_leaks_nothing),
        cmocka_unit_test(cancelled_verification_stops_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
