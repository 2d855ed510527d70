/* SPDX-License-Identifier: MIT */
/* Writes one JSON value on one line. Keys are NULL inside arrays. At most 31 levels deep. */
#ifndef TOOL_JSON_WRITE_H
#define TOOL_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *to;
    uint32_t depth;
    uint32_t has_items; /* a bit a level: a comma is due */
    uint32_t is_array;  /* a bit a level */
} json;

void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
void json_end(json *j); /* the innermost open object or array; the outermost ends the line */
void json_text(json *j, const char *key, const char *text); /* NULL: null; bytes that are no UTF-8 become U+FFFD */
void json_u64(json *j, const char *key, uint64_t value);
void json_float(json *j, const char *key, float value);   /* shortest that reads back; NaN and infinity: null */
void json_double(json *j, const char *key, double value); /* the same */
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);
void json_floats(json *j, const char *key, const float *values, uint32_t count);

#endif
