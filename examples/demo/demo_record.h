/* SPDX-License-Identifier: MIT */
/* What the demo remembers: the figures of each frame, of each picture, of each model. The table and the report show
 * them. */
#ifndef DEMO_RECORD_H
#define DEMO_RECORD_H

#include <terrane/world.h>

#include "flight.h"
#include "watch.h"

typedef struct record_frame {
    trn_world_stats stats;
    uint64_t copied_bytes;
    uint64_t allocations;
    double update_milliseconds;
} record_frame;

typedef struct record_picture {
    uint32_t frame;
    char file[2][64];   /* shaded, levels; relative to the output folder */
    char *small[2];     /* a quarter of the pixels, as base64; the record's */
    uint64_t triangles; /* drawn */
    uint32_t clusters;
    uint32_t draws;
    double seconds;
} record_picture;

typedef struct record_model {
    const char *name;
    const char *source;
    uint64_t source_triangles;
    uint64_t stored_triangles;
    uint64_t file_bytes;
    uint32_t level_count;
    uint32_t page_count;
    uint32_t placements;
    double cook_seconds; /* 0: not known */
    uint32_t files;      /* > 1: the sum of so many */
} record_model;

typedef struct record {
    record_frame frames[FLIGHT_FRAMES];
    record_picture pictures[FLIGHT_PICTURES];
    record_model *models;
    uint32_t frame_count, picture_count, model_count;
    uint32_t regions, placements;
    uint64_t memory_all; /* bytes of every page of every model */
    char device[128];    /* what drew the pictures; empty: no pictures, and `no_pictures` says why */
    char no_pictures[512];
    double seconds_island, seconds_flight, seconds_pictures;
} record;

typedef struct record_summary {
    uint64_t resident_peak;
    uint64_t copied_peak;
    uint64_t copied_total;
    uint32_t bias_peak;
    uint32_t frames_refused; /* frames in which something had no room */
    uint32_t evictions;
    uint32_t active_peak;
    double update_median, update_worst; /* milliseconds */
} record_summary;

record_summary record_sum_up(const record *of);

#endif
