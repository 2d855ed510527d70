/* SPDX-License-Identifier: MIT */
/* trn-bench SUITE [--json] [--quick]: measures one part of the library next to its peers. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct suite {
    const char *name;
    void (*run)(const bench_options *options);
} suites[] = {
    {"bvh", bench_bvh},
};
enum { SUITE_COUNT = sizeof suites / sizeof suites[0] };

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_MEMORY = 5 };

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void *bench_alloc(uint64_t count, uint64_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "trn-bench: out of memory\n");
        exit(EXIT_MEMORY);
    }
    return memory;
}

void bench_fail(const char *suite, const char *reason) {
    fprintf(stderr, "trn-bench: %s: %s\n", suite, reason);
    exit(EXIT_WRONG);
}

void bench_print(const bench_options *options, const bench_row *row) {
    if (options->json) {
        printf("{\"suite\":\"%s\",\"case\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",", row->suite, row->name, row->value,
               row->unit);
        if (row->peer)
            printf("\"peer\":\"%s\",\"ratio\":%.4g", row->peer, row->ratio);
        else
            printf("\"peer\":null,\"ratio\":null");
        if (row->has_goal) printf(",\"goal\":%.4g,\"verdict\":%s", row->goal, row->reached ? "true" : "false");
        printf("}\n");
    } else {
        printf("%-8s %-40s %12.6g %-8s", row->suite, row->name, row->value, row->unit);
        if (row->peer) printf(" %8.3g x  %s", row->ratio, row->peer);
        if (row->has_goal) printf("  (goal %.3g: %s)", row->goal, row->reached ? "reached" : "missed");
        printf("\n");
    }
    fflush(stdout);
}

static int usage(void) {
    fprintf(stderr, "usage: trn-bench SUITE [--json] [--quick]\nsuites:");
    for (int i = 0; i < SUITE_COUNT; i++) fprintf(stderr, " %s", suites[i].name);
    fprintf(stderr, "\n");
    return EXIT_USAGE;
}

int main(int argument_count, char **arguments) {
    bench_options options = {false, false};
    const struct suite *suite = NULL;
    for (int i = 1; i < argument_count; i++) {
        if (strcmp(arguments[i], "--json") == 0) {
            options.json = true;
        } else if (strcmp(arguments[i], "--quick") == 0) {
            options.quick = true;
        } else {
            if (suite) return usage();
            for (int s = 0; s < SUITE_COUNT; s++)
                if (strcmp(arguments[i], suites[s].name) == 0) suite = &suites[s];
            if (!suite) return usage();
        }
    }
    if (!suite) return usage();
    if (!options.json) printf("%-8s %-40s %12s %-8s %10s  %s\n", "suite", "case", "ours", "unit", "peer/ours", "peer");
    suite->run(&options);
    return 0;
}
