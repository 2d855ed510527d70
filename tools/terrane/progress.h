/* SPDX-License-Identifier: MIT */
/* A bar on stderr while a person is watching, and the way Ctrl-C reaches the library. */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    bool is_shown; /* stderr is a terminal */
    int permille;  /* as drawn last */
    const char *phase;
} progress;

void progress_start(progress *p);

/* Draws when something changed. The signature is that of the library's callbacks, `user` a progress; false: cancel. */
bool progress_tell(void *user, const char *phase, float done);

/* Removes the bar. Call it before anything else is printed. */
void progress_end(progress *p);

#endif
