/* SPDX-License-Identifier: MIT */
/* One plot over frames as inline SVG, with axes, units, a legend, and its values as JSON for the report's read-out. */
#ifndef DEMO_CHART_H
#define DEMO_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum chart_kind { CHART_LINE, CHART_AREA, CHART_STEP, CHART_LIMIT } chart_kind;

typedef struct chart_series {
    const char *name;
    chart_kind kind;
    uint32_t color; /* a number of the style sheet's colours */
    const double *values;
} chart_series;

typedef struct chart {
    const char *title;
    const char *unit;
    const char *note; /* a sentence below the title */
    const chart_series *series;
    uint32_t series_count;
    uint32_t frames;
    bool stacked;  /* areas stand on one another, the first at the bottom */
    uint32_t mark; /* a frame to mark with a line */
    const char *mark_name;
} chart;

void chart_write(FILE *to, const chart *what);

/* A round step that divides 0..top into 3 to 6 parts. */
double chart_tick(double top);

#endif
