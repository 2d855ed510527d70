/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "demo_progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void progress_show(const char *stage, uint32_t done, uint32_t total) {
    enum { cells = 40 };
    if (!isatty(STDERR_FILENO)) {
        if (done == 0) fprintf(stderr, "demo: %s (%u)\n", stage, total);
        return;
    }
    char bar[cells + 1];
    uint32_t filled = total ? (uint32_t)((uint64_t)done * cells / total) : cells;
    memset(bar, '.', cells);
    memset(bar, '#', filled);
    bar[cells] = 0;
    fprintf(stderr, "\r  %-28s [%s] %u/%u ", stage, bar, done, total);
    if (done == total) fputc('\n', stderr);
    fflush(stderr);
}

double progress_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
