/* SPDX-License-Identifier: MIT */
/* The model files of the demo, with their tables open: boxes for the layout, pages for the watch, figures for the
 * report. */
#ifndef DEMO_CATALOG_H
#define DEMO_CATALOG_H

#include <stdio.h>

#include <terrane/model.h>

#include "layout.h"

enum { CATALOG_MODELS_MAX = LAYOUT_TILES + 64 };

typedef struct catalog_entry {
    char path[512];
    trn_model *tables; /* NULL: there is no such model, and nothing of it is placed */
    trn_model_info info;
} catalog_entry;

typedef struct catalog {
    catalog_entry entries[CATALOG_MODELS_MAX]; /* in the order of the layout's model numbers */
    uint32_t count;
    uint64_t placed_bytes; /* in mesh memory, of every page of every model */
} catalog;

/* Opens the heads of all files in FOLDER. Models that are missing are left out, but every tile must be there: else
 * false. */
bool catalog_open(const char *folder, catalog *out, char error[256]);
void catalog_close(catalog *out);

/* Name of a model by its number. */
void catalog_name(uint32_t model, char name[32]);

#endif
