/* SPDX-License-Identifier: MIT */
#include "json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the well-formed UTF-8 sequence at `text`, 0 if it is none (overlong forms and surrogates are none). */
static unsigned utf8_length(const unsigned char *text) {
    unsigned length = text[0] < 0x80   ? 1
                      : text[0] < 0xc2 ? 0
                      : text[0] < 0xe0 ? 2
                      : text[0] < 0xf0 ? 3
                      : text[0] < 0xf5 ? 4
                                       : 0;
    for (unsigned i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
    }
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f)) return 0;
    if ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)) return 0;
    return length;
}

static void quoted(FILE *to, const char *text) {
    fputc('"', to);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        unsigned length = utf8_length(c);
        if (length == 0) {
            fputs("\\ufffd", to);
            length = 1;
        } else if (*c == '"' || *c == '\\') {
            fprintf(to, "\\%c", *c);
        } else if (*c < 0x20 || *c == 0x7f) {
            fprintf(to, "\\u%04x", *c);
        } else {
            fwrite(c, 1, length, to);
        }
        c += length;
    }
    fputc('"', to);
}

/* Comma and key in front of a value. */
static void start(json *j, const char *key) {
    uint32_t bit = UINT32_C(1) << j->depth;
    if (j->depth > 0 && (j->has_items & bit)) fputc(',', j->to);
    j->has_items |= bit;
    if (key) {
        quoted(j->to, key);
        fputc(':', j->to);
    }
}

static void open(json *j, const char *key, bool is_array) {
    start(j, key);
    fputc(is_array ? '[' : '{', j->to);
    j->depth++;
    uint32_t bit = UINT32_C(1) << j->depth;
    j->has_items &= ~bit;
    j->is_array = is_array ? j->is_array | bit : j->is_array & ~bit;
}

void json_object(json *j, const char *key) { open(j, key, false); }
void json_array(json *j, const char *key) { open(j, key, true); }

void json_end(json *j) {
    fputc(j->is_array & (UINT32_C(1) << j->depth) ? ']' : '}', j->to);
    j->depth--;
    if (j->depth == 0) fputc('\n', j->to);
}

void json_text(json *j, const char *key, const char *text) {
    start(j, key);
    if (text)
        quoted(j->to, text);
    else
        fputs("null", j->to);
}

void json_u64(json *j, const char *key, uint64_t value) {
    start(j, key);
    fprintf(j->to, "%llu", (unsigned long long)value);
}

void json_float(json *j, const char *key, float value) {
    char text[32];
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    start(j, key);
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    fputs(text, j->to);
}

void json_double(json *j, const char *key, double value) {
    char text[40];
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    start(j, key);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, j->to);
}

void json_bool(json *j, const char *key, bool value) {
    start(j, key);
    fputs(value ? "true" : "false", j->to);
}

void json_null(json *j, const char *key) {
    start(j, key);
    fputs("null", j->to);
}

void json_floats(json *j, const char *key, const float *values, uint32_t count) {
    json_array(j, key);
    for (uint32_t i = 0; i < count; i++) json_float(j, NULL, values[i]);
    json_end(j);
}
