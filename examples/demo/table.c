/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "demo_report.h"

static const double mib = 1024.0 * 1024.0;

static void print_models(const record *of) {
    printf("\n  %-10s %10s %10s %6s %9s %7s %7s\n", "model", "triangles", "stored", "levels", "file KiB", "cook s",
           "placed");
    for (uint32_t i = 0; i < of->model_count; i++) {
        const record_model *m = &of->models[i];
        printf("  %-10s %10llu %10llu %6u %9.0f ", m->name, (unsigned long long)m->source_triangles,
               (unsigned long long)m->stored_triangles, m->level_count, (double)m->file_bytes / 1024);
        if (m->cook_seconds > 0)
            printf("%7.2f", m->cook_seconds);
        else
            printf("%7s", "-");
        printf(" %7u\n", m->placements);
    }
}

static void print_frames(const record *of) {
    printf("\n  %-6s %9s %9s %7s %8s %8s %7s %5s %8s\n", "frame", "resident", "uploaded", "active", "resident", "draws",
           "waiting", "bias", "update");
    printf("  %-6s %9s %9s %7s %8s %8s %7s %5s %8s\n", "", "MiB", "MiB", "regions", "regions", "", "pages", "", "ms");
    for (uint32_t i = 0; i < of->frame_count; i++) {
        if (i % 50 != 49 && i != FLIGHT_TELEPORT && i != 0) continue;
        const record_frame *f = &of->frames[i];
        printf("  %-6u %9.1f %9.2f %7u %8u %8u %7u %5u %8.2f%s\n", i, (double)f->stats.resident_bytes / mib,
               (double)f->copied_bytes / mib, f->stats.regions_by_state[TRN_STATE_ACTIVE],
               f->stats.regions_by_state[TRN_STATE_RESIDENT], f->stats.draws, f->stats.refused, f->stats.bias,
               f->update_milliseconds, i == FLIGHT_TELEPORT ? "  teleport" : "");
    }
}

void table_print(const record *of, const watch_verdict *verdicts) {
    record_summary sum = record_sum_up(of);
    print_models(of);
    print_frames(of);
    double cap = of->frame_count ? (double)of->frames[0].stats.memory_bytes / mib : 0;
    double budget = of->frame_count ? (double)of->frames[0].stats.upload_budget_bytes / mib : 0;
    printf("\n  %u regions, %u placements; all at full detail: %.1f MiB\n", of->regions, of->placements,
           (double)of->memory_all / mib);
    printf("  mesh memory: peak %.1f of %.1f MiB; uploads: peak %.2f of %.2f MiB a frame, %.1f MiB in all\n",
           (double)sum.resident_peak / mib, cap, (double)sum.copied_peak / mib, budget, (double)sum.copied_total / mib);
    printf("  something waited for room in %u frames; %u pages evicted; highest bias %u; update %.2f ms (median), %.2f "
           "(worst)\n\n",
           sum.frames_refused, sum.evictions, sum.bias_peak, sum.update_median, sum.update_worst);
    for (int i = 0; i < WATCH_RULES; i++) {
        printf("  %-6s  %-66s %9llu looks\n", verdicts[i].broken ? "BROKEN" : "holds", verdicts[i].rule,
               (unsigned long long)verdicts[i].checks);
        if (verdicts[i].broken)
            printf("          %llu times, first %s\n", (unsigned long long)verdicts[i].broken, verdicts[i].first);
    }
}
