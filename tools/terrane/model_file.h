/* SPDX-License-Identifier: MIT */
/* Reads model files from the disk for the library, which reads none. */
#ifndef TOOL_MODEL_FILE_H
#define TOOL_MODEL_FILE_H

#include <terrane_cook/cook.h>

/* Both return an exit code, reported unless TOOL_DONE. */
int model_file_open_head(const char *path, trn_model **model); /* reads the head alone */
int model_file_load(const char *path, trn_model_data **data);

#endif
