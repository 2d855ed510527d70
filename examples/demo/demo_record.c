/* SPDX-License-Identifier: MIT */
#include "demo_record.h"

#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

record_summary record_sum_up(const record *of) {
    record_summary sum = {0};
    double times[FLIGHT_FRAMES];
    for (uint32_t i = 0; i < of->frame_count; i++) {
        const record_frame *frame = &of->frames[i];
        if (frame->stats.resident_bytes > sum.resident_peak) sum.resident_peak = frame->stats.resident_bytes;
        if (frame->copied_bytes > sum.copied_peak) sum.copied_peak = frame->copied_bytes;
        if (frame->stats.bias > sum.bias_peak) sum.bias_peak = frame->stats.bias;
        if (frame->stats.regions_by_state[TRN_STATE_ACTIVE] > sum.active_peak)
            sum.active_peak = frame->stats.regions_by_state[TRN_STATE_ACTIVE];
        sum.copied_total += frame->copied_bytes;
        sum.frames_refused += frame->stats.refused > 0;
        sum.evictions += frame->stats.evictions;
        times[i] = frame->update_milliseconds;
    }
    if (of->frame_count > 0) {
        qsort(times, of->frame_count, sizeof times[0], compare_doubles);
        sum.update_median = times[of->frame_count / 2];
        sum.update_worst = times[of->frame_count - 1];
    }
    return sum;
}
