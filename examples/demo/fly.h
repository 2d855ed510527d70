/* SPDX-License-Identifier: MIT */
/* The flight: a world with its limits, 600 updates along the path, everything watched and recorded. */
#ifndef DEMO_FLY_H
#define DEMO_FLY_H

#include <terrane_host/host.h>

#include "catalog.h"
#include "demo_record.h"

typedef struct fly_def {
    const char *folder;         /* where pictures and the world's file go */
    uint64_t mesh_memory_bytes; /* the cap */
    uint64_t upload_bytes;
    bool pictures;
} fly_def;

/* False: something of the demo itself failed, and `error` says what. `verdicts`: WATCH_RULES of them are written. */
bool fly(const fly_def *def, trn_host *host, const catalog *models, record *out, watch_verdict *verdicts,
         char error[512]);

#endif
