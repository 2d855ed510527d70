/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int report(int exit_code, const char *format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
    }
    fprintf(stderr, "terrane: %s\n", line);
    return exit_code;
}

static int exit_code_of(trn_result result) {
    switch (result) {
    case TRN_OK: return TOOL_DONE;
    case TRN_ERROR_OUT_OF_MEMORY: return TOOL_OUT_OF_MEMORY;
    case TRN_ERROR_IO: return TOOL_IO;
    case TRN_ERROR_CANCELLED: return TOOL_CANCELLED;
    case TRN_ERROR_VERSION:
    case TRN_ERROR_FORMAT:
    case TRN_ERROR_CHECKSUM:
    case TRN_ERROR_UNSUPPORTED:
    case TRN_ERROR_MESH: return TOOL_BAD_INPUT;
    default: return TOOL_INTERNAL;
    }
}

int report_result(trn_result result, const trn_error *error, const char *file) {
    int exit_code = exit_code_of(result);
    if (!error || !error->text[0]) return report(exit_code, "%s: %s", file, trn_result_text(result));
    /* The library names the file first; a name too long for its text has pushed the reason out. */
    size_t name = strlen(file);
    if (strncmp(error->text, file, name) == 0) return report(exit_code, "%s", error->text);
    if (name >= sizeof error->text) return report(exit_code, "%s: %s", file, trn_result_text(result));
    return report(exit_code, "%s: %s", file, error->text);
}

int report_errno(const char *file, const char *place) {
    int number = errno;
    return report(number == ENOMEM ? TOOL_OUT_OF_MEMORY : TOOL_IO, "%s: %s: %s", file, place, strerror(number));
}

int report_end(int exit_code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
    int failed = report_errno("standard output", "writing");
    return exit_code == TOOL_DONE || exit_code == TOOL_NO ? failed : exit_code;
}
