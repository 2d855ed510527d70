/* SPDX-License-Identifier: MIT */
/* Pictures to files. */
#ifndef VIEWER_PNG_H
#define VIEWER_PNG_H

#include <stdbool.h>
#include <stdint.h>

/* Writes rows from top to bottom, 4 bytes a pixel; alpha is dropped. False when the file cannot be written. */
bool png_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height);

#endif
