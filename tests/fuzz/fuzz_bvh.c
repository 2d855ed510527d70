/* SPDX-License-Identifier: MIT */
/* Random boxes and operations, each answer compared with brute force. The input is a program: an opcode byte, then its
 * operands. Numbers are either small integers, which collide and touch often, or any eight bytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <terrane/bvh.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BOXES = 96 };

typedef struct input {
    const uint8_t *data;
    size_t left;
} input;

#define CHECK(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

static void fail(const char *condition, int line) {
    fprintf(stderr, "fuzz_bvh.c:%d: %s\n", line, condition);
    abort();
}

static uint8_t next_byte(input *in) {
    if (in->left == 0) return 0;
    in->left--;
    return *in->data++;
}

static double next_number(input *in, bool any) {
    if (!any) return (int8_t)next_byte(in);
    uint8_t bytes[8];
    double number;
    for (int i = 0; i < 8; i++) bytes[i] = next_byte(in);
    memcpy(&number, bytes, sizeof number);
    return number;
}

static bool is_sound(const trn_world_box *box) {
    for (int a = 0; a < 3; a++)
        if (!(box->min[a] <= box->max[a])) return false;
    return true;
}

static trn_world_box next_box(input *in, bool any) {
    trn_world_box box;
    for (int a = 0; a < 3; a++) {
        box.min[a] = next_number(in, any);
        box.max[a] = any ? next_number(in, true) : box.min[a] + (next_byte(in) & 15);
        if (box.min[a] > box.max[a] && (next_byte(in) & 15) != 0) { /* mostly sound */
            double swap = box.min[a];
            box.min[a] = box.max[a];
            box.max[a] = swap;
        }
    }
    return box;
}

static double axis_distance(double at, double min, double max) { return at < min ? min - at : at > max ? at - max : 0; }

static double distance_squared(const trn_world_box *box, const double at[3]) {
    double x = axis_distance(at[0], box->min[0], box->max[0]), y = axis_distance(at[1], box->min[1], box->max[1]),
           z = axis_distance(at[2], box->min[2], box->max[2]);
    return x * x + y * y + z * z;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    trn_world_box held[MOST_BOXES], given[MOST_BOXES];
    uint32_t held_count = 0, ids[MOST_BOXES];
    double squared[MOST_BOXES];
    trn_bvh *bvh = NULL;
    trn_bvh_def def = {.leaf_size = next_byte(&in) % 6u};
    CHECK(trn_bvh_create(&def, &bvh, NULL) == TRN_OK);
    while (in.left != 0) {
        uint8_t operation = next_byte(&in);
        bool any = (operation & 4) != 0, hit[MOST_BOXES] = {false};
        uint32_t expected = 0, count = 0, capacity = MOST_BOXES;
        switch (operation & 3) {
        case 0: {
            uint32_t given_count = next_byte(&in) % (MOST_BOXES + 1u), bad = UINT32_MAX;
            for (uint32_t i = 0; i < given_count; i++) {
                given[i] = next_box(&in, any);
                if (bad == UINT32_MAX && !is_sound(&given[i])) bad = i;
            }
            trn_error error = {TRN_OK, 0, 0, ""};
            trn_result result = trn_bvh_rebuild(bvh, given, given_count, NULL, &error);
            CHECK(result == (bad == UINT32_MAX ? TRN_OK : TRN_ERROR_ARGUMENT));
            if (result == TRN_OK) {
                memcpy(held, given, sizeof held[0] * given_count);
                held_count = given_count;
            } else {
                CHECK(error.item == bad);
            }
            continue;
        }
        case 1: {
            trn_world_box query = next_box(&in, any);
            trn_result result = trn_bvh_query_box(bvh, &query, ids, capacity, &count);
            CHECK(result == (is_sound(&query) ? TRN_OK : TRN_ERROR_ARGUMENT));
            if (result != TRN_OK) continue;
            for (uint32_t i = 0; i < held_count; i++) {
                hit[i] = true;
                for (int a = 0; a < 3; a++)
                    hit[i] = hit[i] && held[i].min[a] <= query.max[a] && query.min[a] <= held[i].max[a];
                expected += hit[i];
            }
            break;
        }
        default: {
            double center[3];
            for (int a = 0; a < 3; a++) center[a] = next_number(&in, any);
            double radius = next_number(&in, (operation & 8) != 0);
            if (operation & 16) capacity = next_byte(&in) % MOST_BOXES;
            trn_result result = trn_bvh_query_sphere(bvh, center, radius, ids, squared, capacity, &count);
            bool sound = isfinite(center[0]) && isfinite(center[1]) && isfinite(center[2]) && radius >= 0;
            CHECK(result == (sound ? TRN_OK : TRN_ERROR_ARGUMENT));
            if (result != TRN_OK) continue;
            for (uint32_t i = 0; i < held_count; i++) {
                hit[i] = distance_squared(&held[i], center) <= radius * radius;
                expected += hit[i];
            }
            for (uint32_t i = 0; i < count && i < capacity; i++)
                CHECK(ids[i] < held_count && squared[i] == distance_squared(&held[ids[i]], center));
            break;
        }
        }
        CHECK(count == expected);
        for (uint32_t i = 0; i < count && i < capacity; i++) {
            CHECK(ids[i] < held_count && hit[ids[i]]);
            hit[ids[i]] = false; /* once */
        }
    }
    trn_bvh_destroy(bvh);
    return 0;
}
