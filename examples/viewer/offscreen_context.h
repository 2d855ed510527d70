/* SPDX-License-Identifier: MIT */
/* An OpenGL 4.5 core context without display, window or surface (EGL). Current on the thread that made it. */
#ifndef VIEWER_OFFSCREEN_CONTEXT_H
#define VIEWER_OFFSCREEN_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct offscreen_context {
    void *display;
    void *context;
} offscreen_context;

/* False and a line of text when the machine has no such thing. */
bool offscreen_context_create(offscreen_context *made, char *error, size_t error_bytes);
void offscreen_context_destroy(offscreen_context *made);

#endif
