/* SPDX-License-Identifier: MIT */
/* How the tool ends: its exit codes and the one line on stderr that goes with a failure. */
#ifndef TOOL_REPORT_H
#define TOOL_REPORT_H

#include <terrane/base.h>

/* Other programs read these; they never change. */
enum {
    TOOL_DONE = 0,
    TOOL_NO = 1, /* the answer is no */
    TOOL_USAGE = 2,
    TOOL_BAD_INPUT = 3,
    TOOL_IO = 4,
    TOOL_OUT_OF_MEMORY = 5,
    TOOL_INTERNAL = 6,
    TOOL_CANCELLED = -1 /* never leaves main, which ends by the signal instead */
};

/* Lets the compiler compare formats and arguments. */
#if defined(__GNUC__)
#define TOOL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TOOL_PRINTF(text, first)
#endif

/* Prints "terrane: ..." as one line, whatever is in it, and returns `exit_code`. */
int report(int exit_code, const char *format, ...) TOOL_PRINTF(2, 3);

/* The same for a failed call of the library. */
int report_result(trn_result result, const trn_error *error, const char *file);

/* The same for a failed call of the system, by errno. */
int report_errno(const char *file, const char *place);

/* Flushes stdout; a subcommand ends with this, so that a full disk is an error. */
int report_end(int exit_code);

#endif
