/* SPDX-License-Identifier: MIT */
/* Says how far long work is: a bar on a terminal, one line a stage elsewhere. */
#ifndef DEMO_PROGRESS_H
#define DEMO_PROGRESS_H

#include <stdint.h>

/* Call with done = 0 first and done = total last. */
void progress_show(const char *stage, uint32_t done, uint32_t total);

/* Seconds since some moment in the past. */
double progress_seconds(void);

#endif
