/* SPDX-License-Identifier: MIT */
#include "png.h"

#include <stdlib.h>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#endif
#define STBI_WRITE_NO_FAILURE_STRINGS
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

bool png_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height) {
    size_t pixels = (size_t)width * height;
    if (width == 0 || width > 32768 || height == 0 || height > 32768) return false;
    uint8_t *rgb = malloc(pixels * 3);
    if (rgb == NULL) return false;
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < 3; c++) rgb[3 * i + c] = rgba[4 * i + c];
    bool written = stbi_write_png(path, (int)width, (int)height, 3, rgb, (int)width * 3) != 0;
    free(rgb);
    return written;
}
