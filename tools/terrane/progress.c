/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "progress.h"

#include "interrupt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 40 };

void progress_start(progress *p) {
    *p = (progress){.is_shown = isatty(STDERR_FILENO) == 1, .permille = -1, .phase = ""};
}

bool progress_tell(void *user, const char *phase, float done) {
    progress *p = user;
    int permille = done > 0 ? done < 1 ? (int)(done * 1000) : 1000 : 0;
    if (p->is_shown && (permille != p->permille || strcmp(phase, p->phase) != 0)) {
        char bar[BAR_WIDTH + 1];
        for (int i = 0; i < BAR_WIDTH; i++) bar[i] = i * 1000 < permille * BAR_WIDTH ? '#' : '.';
        bar[BAR_WIDTH] = 0;
        fprintf(stderr, "\r[%s] %3d %%  %-20.20s", bar, permille / 10, phase);
        fflush(stderr);
        p->permille = permille;
        p->phase = phase;
    }
    return !interrupted();
}

void progress_end(progress *p) {
    if (p->is_shown && p->permille >= 0) fprintf(stderr, "\r%*s\r", BAR_WIDTH + 32, "");
    p->permille = -1;
}
