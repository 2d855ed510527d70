/* SPDX-License-Identifier: MIT */
/* Results, error texts, log and assert hooks, definitions of other versions. */
#include "base_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *trn_result_text(trn_result result) {
    switch (result) {
#define TRN_RESULT_CASE(name, value, text) \
    case name: return text;
        TRN_RESULTS(TRN_RESULT_CASE)
#undef TRN_RESULT_CASE
    }
    return "unknown result";
}

uint32_t trn_version(void) { return TRN_VERSION; }

trn_result trni_fail(trn_error *error, trn_result code, uint32_t item, uint64_t place, const char *format, ...) {
    if (!error) return code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->code = code;
    error->item = item;
    error->place = place;
    return code;
}

static trn_log_level item_level(trn_log_item item) {
    switch (item) {
#define TRN_LOG_CASE(name, number, level) \
    case name: return level;
        TRN_LOG_ITEMS(TRN_LOG_CASE)
#undef TRN_LOG_CASE
    }
    return TRN_LOG_ERROR;
}

void trni_log(const trn_log *log, trn_log_item item, const char *format, ...) {
    if (!log->write) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    trn_log_message message = {item_level(item), item, text};
    log->write(log->user, &message);
}

void trni_assert_fail(const trn_assert *hook, const char *condition, const char *file, int line) {
    if (hook && hook->fail) hook->fail(hook->user, condition, file, line);
}

bool trni_def_read(void *to, size_t to_size, const void *from, size_t from_size) {
    memset(to, 0, to_size);
    if (!from) return true;
    const unsigned char *bytes = from;
    for (size_t i = to_size; i < from_size; i++)
        if (bytes[i] != 0) return false;
    memcpy(to, from, from_size < to_size ? from_size : to_size);
    return true;
}
