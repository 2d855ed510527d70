/* SPDX-License-Identifier: MIT */
/* What every suite of trn-bench uses: the options, the clock, and rows. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bench_options {
    bool json;
    bool quick; /* smaller scenes, fewer rounds */
} bench_options;

/* One figure. */
typedef struct bench_row {
    const char *suite;
    const char *name; /* which case */
    double value;     /* ours */
    const char *unit;
    const char *peer; /* what it is compared with; NULL: nothing */
    double ratio;     /* the peer's value by ours: above 1, ours is the smaller one */
    bool has_goal;
    double goal;  /* what DESIGN.md asks of the ratio, or of the value where there is no peer */
    bool reached; /* the verdict */
} bench_row;

/* Prints a row: a line of a table, or a JSON object a line. */
void bench_print(const bench_options *options, const bench_row *row);

/* Seconds of a clock that only goes forward. */
double bench_seconds(void);

/* Memory, or the end of the program. */
void *bench_alloc(uint64_t count, uint64_t size);

/* Says why the figures cannot be trusted, and ends the program. */
void bench_fail(const char *suite, const char *reason);

/* Suites. */
void bench_bvh(const bench_options *options);

#endif
