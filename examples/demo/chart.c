/* SPDX-License-Identifier: MIT */
#include "chart.h"

#include <math.h>

enum { width = 980, height = 230, left = 62, right = 14, top = 20, bottom = 34 };

double chart_tick(double highest) {
    if (!(highest > 0)) return 1;
    double power = pow(10, floor(log10(highest / 3)));
    double parts = highest / power;
    return power * (parts <= 6 ? 1 : parts <= 12 ? 2 : parts <= 30 ? 5 : 10);
}

static double x_of(const chart *what, double frame) {
    return left + frame * (width - left - right) / (what->frames > 1 ? what->frames - 1 : 1);
}

static double y_of(double value, double highest) { return height - bottom - value / highest * (height - top - bottom); }

static double highest_of(const chart *what) {
    double highest = 0;
    for (uint32_t frame = 0; frame < what->frames; frame++) {
        double sum = 0;
        for (uint32_t i = 0; i < what->series_count; i++) {
            double value = what->series[i].values[frame];
            bool adds = what->stacked && what->series[i].kind == CHART_AREA;
            if (adds) sum += value;
            double reach = adds ? sum : value;
            if (reach > highest) highest = reach;
        }
    }
    return highest > 0 ? highest * 1.04 : 1;
}

static void write_axes(FILE *to, const chart *what, double highest) {
    double tick = chart_tick(highest);
    if (what->series[0].kind == CHART_STEP && tick < 1) tick = 1; /* whole numbers */
    for (double value = 0; value <= highest; value += tick) {
        double y = y_of(value, highest);
        fprintf(to,
                "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"tick\" x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%g</text>\n",
                left, y, width - right, left - 7, y + 4, value);
    }
    double step = chart_tick(what->frames);
    for (double frame = 0; frame < what->frames; frame += step)
        fprintf(to, "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x_of(what, frame),
                height - bottom + 16, frame);
    fprintf(to, "<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"end\">frame</text>\n", width - right,
            height - 3);
    fprintf(to, "<text class=\"label\" transform=\"translate(13 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            top + (height - top - bottom) / 2, what->unit);
}

/* The upper edge of series `index`, with everything below it where areas are stacked. */
static double edge(const chart *what, uint32_t index, uint32_t frame) {
    if (!what->stacked) return what->series[index].values[frame];
    double sum = 0;
    for (uint32_t i = 0; i <= index; i++)
        if (what->series[i].kind == CHART_AREA) sum += what->series[i].values[frame];
    return sum;
}

static void write_series(FILE *to, const chart *what, uint32_t index, double highest) {
    const chart_series *series = &what->series[index];
    const char *const classes[] = {"line", "area", "line", "limit"};
    bool area = series->kind == CHART_AREA;
    fprintf(to, "<path class=\"%s c%u\" d=\"", classes[series->kind], series->color);
    for (uint32_t frame = 0; frame < what->frames; frame++) {
        double value = area ? edge(what, index, frame) : series->values[frame];
        if (series->kind == CHART_STEP && frame > 0) fprintf(to, "H%.1f", x_of(what, frame));
        fprintf(to, "%c%.1f %.1f", frame ? 'L' : 'M', x_of(what, frame), y_of(value, highest));
    }
    if (area) {
        for (uint32_t frame = what->frames; frame-- > 0;) {
            double below = what->stacked ? edge(what, index, frame) - series->values[frame] : 0;
            fprintf(to, "L%.1f %.1f", x_of(what, frame), y_of(below, highest));
        }
        fputc('Z', to);
    }
    fputs("\"/>\n", to);
}

static void write_values(FILE *to, const chart *what) {
    fputs("<script type=\"application/json\">[", to);
    for (uint32_t i = 0; i < what->series_count; i++) {
        fprintf(to, "%s{\"name\":\"%s\",\"values\":[", i ? "," : "", what->series[i].name);
        for (uint32_t frame = 0; frame < what->frames; frame++)
            fprintf(to, "%s%.5g", frame ? "," : "", what->series[i].values[frame]);
        fputs("]}", to);
    }
    fputs("]</script>\n", to);
}

void chart_write(FILE *to, const chart *what) {
    double highest = highest_of(what);
    fprintf(to,
            "<figure class=\"chart\"><figcaption><b>%s</b> <span class=\"note\">%s</span></figcaption>\n<div "
            "class=\"legend\">",
            what->title, what->note);
    for (uint32_t i = 0; i < what->series_count; i++)
        fprintf(to, "<span><i class=\"%s c%u\"></i>%s <output></output></span>",
                what->series[i].kind == CHART_LIMIT ? "limit" : "key", what->series[i].color, what->series[i].name);
    fprintf(to,
            "</div>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" data-left=\"%d\" data-right=\"%d\" "
            "data-frames=\"%u\">\n",
            width, height, what->title, left, width - right, what->frames);
    write_axes(to, what, highest);
    for (uint32_t i = 0; i < what->series_count; i++) write_series(to, what, i, highest);
    double x = x_of(what, what->mark);
    fprintf(to, "<path class=\"mark\" d=\"M%.1f %dV%d\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\">%s</text>\n", x, top,
            height - bottom, x + 5, top - 6, what->mark_name);
    fprintf(to, "<path class=\"cursor\" d=\"M0 %dV%d\" visibility=\"hidden\"/>\n</svg>\n", top, height - bottom);
    write_values(to, what);
    fputs("</figure>\n", to);
}
