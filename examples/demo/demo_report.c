/* SPDX-License-Identifier: MIT */
#include "demo_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "chart.h"

static const double mib = 1024.0 * 1024.0;

enum { level_colors = 10, colors = 5 + level_colors }; /* plain ones, then a scale from fine to coarse */

static void write_style(FILE *to) {
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Terrane demo</title>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n"
          ":root{color-scheme:light dark;--paper:#fbfbfa;--ink:#1d2126;--soft:#626a73;--line:#d9dcdf;--card:#fff;"
          "--good:#19713c;--bad:#b3261e}\n"
          "@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e8ea;--soft:#9aa3ad;--line:#343a41;--card:#"
          "1c2026;"
          "--good:#6fcf97;--bad:#ff8a80}}\n"
          "body{margin:0 auto;max-width:1040px;padding:24px 20px 60px;background:var(--paper);color:var(--ink);"
          "font:15px/1.5 system-ui,sans-serif}\n"
          "h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:34px 0 8px}p{margin:6px 0 10px;max-width:76ch}\n"
          "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
          "th,td{padding:4px 10px;border-bottom:1px solid var(--line);text-align:right}"
          "th{font-weight:600;color:var(--soft)}th:first-child,td:first-child,td.text,th.text{text-align:left}\n"
          ".scroll{overflow-x:auto}td.text{overflow-wrap:anywhere}.good{color:var(--good);font-weight:600}.bad{color:"
          "var(--bad);font-weight:600}.note{color:var(--soft)}\n"
          ".chart{margin:14px 0;padding:12px 12px 6px;background:var(--card);border:1px solid "
          "var(--line);border-radius:6px}\n"
          ".chart svg{width:100%;height:auto;display:block}.legend{display:flex;flex-wrap:wrap;gap:2px "
          "16px;font-size:13px;color:var(--soft)}"
          ".legend i{display:inline-block;width:14px;height:10px;margin-right:5px;border-radius:2px}"
          ".legend i.limit{height:0;border-top:2px dashed;border-radius:0;vertical-align:3px}"
          "output{color:var(--ink);font-variant-numeric:tabular-nums}\n"
          ".grid{stroke:var(--line);stroke-width:1}.tick,.label{font-size:12px;fill:var(--soft)}.line{fill:none;stroke-"
          "width:1.8}"
          ".area{stroke:none;opacity:.86}.limit{fill:none;stroke-width:1.8;stroke-dasharray:7 5}"
          ".mark{stroke:var(--ink);stroke-width:1;stroke-dasharray:2 3}.cursor{stroke:var(--ink);stroke-width:1}\n"
          ".pair{display:grid;grid-template-columns:1fr 1fr;gap:8px;margin:0 0 14px}.pair "
          "img{width:100%;display:block;border-radius:4px}"
          ".pair p{grid-column:1/-1;margin:0;font-size:13px;color:var(--soft);max-width:none}\n",
          to);
    /* Blue, orange, green, red, violet; then dark to light. */
    static const char *const hues[colors] = {"#4c8bd0", "#e08a2e", "#3fa36b", "#d1495b", "#8a6fc9",
                                             "#5c3b8f", "#4d5ba3", "#3f79a8", "#3693a5", "#35ab9a",
                                             "#4fc085", "#80d065", "#b5d94a", "#e3dc3c", "#f7e98a"};
    for (int i = 0; i < colors; i++)
        fprintf(to,
                "path.line.c%d,path.limit.c%d{stroke:%s}path.area.c%d{fill:%s}i.key.c%d{background:%s}i.limit.c%d{"
                "border-color:%s}\n",
                i, i, hues[i], i, hues[i], i, hues[i], i, hues[i]);
    fputs("</style></head><body>\n", to);
}

/* Moving over one plot shows the frame's values in all of them. */
static void write_script(FILE *to) {
    fputs("<script>\nconst charts=[...document.querySelectorAll('.chart')].map(f=>({svg:f.querySelector('svg'),"
          "cursor:f.querySelector('.cursor'),outputs:f.querySelectorAll('output'),data:JSON.parse(f.querySelector('"
          "script').textContent)}));\n"
          "function show(frame){for(const c of charts){const "
          "d=c.svg.dataset,x=+d.left+frame*(d.right-d.left)/(d.frames-1);"
          "c.cursor.setAttribute('visibility',frame<0?'hidden':'visible');c.cursor.setAttribute('transform',`translate("
          "${x})`);"
          "c.data.forEach((s,i)=>c.outputs[i].textContent=frame<0?'':s.values[frame]);}"
          "document.getElementById('frame').textContent=frame<0?'':`frame ${frame}`;}\n"
          "for(const c of charts){c.svg.addEventListener('mousemove',e=>{const "
          "r=c.svg.getBoundingClientRect(),d=c.svg.dataset,"
          "x=(e.clientX-r.left)*c.svg.viewBox.baseVal.width/r.width,f=Math.round((x-d.left)/"
          "(d.right-d.left)*(d.frames-1));"
          "show(f<0||f>=d.frames?-1:f);});c.svg.addEventListener('mouseleave',()=>show(-1));}\n</script>\n",
          to);
}

static void write_verdicts(FILE *to, const watch_verdict *verdicts) {
    fputs("<h2>What was promised of every frame</h2>\n<div class=\"scroll\"><table><tr><th>promise</th><th>looked "
          "at</th><th>broken</th>"
          "<th class=\"text\">verdict</th></tr>\n",
          to);
    for (int i = 0; i < WATCH_RULES; i++) {
        bool good = verdicts[i].broken == 0;
        fprintf(to, "<tr><td>%s</td><td>%llu</td><td>%llu</td><td class=\"text %s\">%s%s%s</td></tr>\n",
                verdicts[i].rule, (unsigned long long)verdicts[i].checks, (unsigned long long)verdicts[i].broken,
                good ? "good" : "bad", good ? "holds" : "BROKEN", good ? "" : ": ", good ? "" : verdicts[i].first);
    }
    fputs("</table></div>\n<p class=\"note\">The demo checks these itself, from the copies, page table, draws and "
          "residency changes that each update "
          "gives, and with an allocator that counts.</p>\n",
          to);
}

static void write_figures(FILE *to, const record *of) {
    record_summary sum = record_sum_up(of);
    uint64_t cap = of->frame_count ? of->frames[0].stats.memory_bytes : 0,
             budget = of->frame_count ? of->frames[0].stats.upload_budget_bytes : 0;
    fputs("<h2>Figures</h2>\n<div class=\"scroll\"><table>\n", to);
    fprintf(to, "<tr><td>frames, with a teleport at frame %d</td><td>%u</td></tr>\n", FLIGHT_TELEPORT, of->frame_count);
    fprintf(to, "<tr><td>regions / placements / models</td><td>%u / %u / %u</td></tr>\n", of->regions, of->placements,
            of->frame_count ? of->frames[of->frame_count - 1].stats.models : 0);
    fprintf(to, "<tr><td>everything at full detail</td><td>%.1f MiB</td></tr>\n", (double)of->memory_all / mib);
    fprintf(to, "<tr><td>mesh memory: peak / cap</td><td>%.1f / %.1f MiB</td></tr>\n", (double)sum.resident_peak / mib,
            (double)cap / mib);
    fprintf(to, "<tr><td>copied a frame: peak / budget</td><td>%.2f / %.2f MiB</td></tr>\n",
            (double)sum.copied_peak / mib, (double)budget / mib);
    fprintf(to, "<tr><td>copied in all</td><td>%.1f MiB</td></tr>\n", (double)sum.copied_total / mib);
    fprintf(to,
            "<tr><td>frames in which something had to wait for room / pages evicted / highest bias</td><td>%u / %u / "
            "%u</td></tr>\n",
            sum.frames_refused, sum.evictions, sum.bias_peak);
    fprintf(to, "<tr><td>an update, wall time: median / worst</td><td>%.2f / %.2f ms</td></tr>\n", sum.update_median,
            sum.update_worst);
    fprintf(to,
            "<tr><td>cooking the island / the flight without its pictures / the pictures</td><td>%.1f / %.1f / %.1f "
            "s</td></tr>\n",
            of->seconds_island, of->seconds_flight, of->seconds_pictures);
    fprintf(to, "<tr><td>pictures drawn by</td><td>%s</td></tr>\n</table></div>\n",
            of->device[0] ? of->device : of->no_pictures);
}

/* ---- Plots ---- */

typedef double figure_fn(const record_frame *frame, uint32_t index);

static double resident(const record_frame *f, uint32_t i) { return (void)i, (double)f->stats.resident_bytes / mib; }
static double reserved(const record_frame *f, uint32_t i) { return (void)i, (double)f->stats.reserved_bytes / mib; }
static double cap_of(const record_frame *f, uint32_t i) { return (void)i, (double)f->stats.memory_bytes / mib; }
static double copied(const record_frame *f, uint32_t i) { return (void)i, (double)f->copied_bytes / mib; }
static double budget_of(const record_frame *f, uint32_t i) {
    return (void)i, (double)f->stats.upload_budget_bytes / mib;
}
static double regions_in(const record_frame *f, uint32_t i) { return f->stats.regions_by_state[i]; }
static double draws_at(const record_frame *f, uint32_t i) { return f->stats.draws_by_level[i]; }
static double draws_from(const record_frame *f, uint32_t i) {
    double sum = 0;
    for (; i < TRN_STATS_LEVELS; i++) sum += f->stats.draws_by_level[i];
    return sum;
}
static double bias_of(const record_frame *f, uint32_t i) { return (void)i, f->stats.bias; }
static double refused(const record_frame *f, uint32_t i) { return (void)i, f->stats.refused; }
static double evicted(const record_frame *f, uint32_t i) { return (void)i, f->stats.evictions; }
static double update_time(const record_frame *f, uint32_t i) { return (void)i, f->update_milliseconds; }

typedef struct plot_series {
    const char *name;
    chart_kind kind;
    figure_fn *figure;
    uint32_t index;
} plot_series;

static void plot(FILE *to, const record *of, const char *title, const char *unit, const char *note, bool stacked,
                 uint32_t first_color, const plot_series *series, uint32_t count) {
    chart_series drawn[colors];
    double *values = malloc(sizeof *values * (size_t)count * of->frame_count);
    if (!values) return;
    for (uint32_t i = 0; i < count; i++) {
        double *column = values + (size_t)i * of->frame_count;
        for (uint32_t frame = 0; frame < of->frame_count; frame++)
            column[frame] = series[i].figure(&of->frames[frame], series[i].index);
        drawn[i] =
            (chart_series){series[i].name, series[i].kind, series[i].kind == CHART_LIMIT ? 3 : first_color + i, column};
    }
    chart_write(to, &(chart){.title = title,
                             .unit = unit,
                             .note = note,
                             .series = drawn,
                             .series_count = count,
                             .frames = of->frame_count,
                             .stacked = stacked,
                             .mark = FLIGHT_TELEPORT,
                             .mark_name = "teleport"});
    free(values);
}

#define PLOT(to, of, title, unit, note, stacked, first_color, ...)                            \
    plot(to, of, title, unit, note, stacked, first_color, (const plot_series[]){__VA_ARGS__}, \
         sizeof((const plot_series[]){__VA_ARGS__}) / sizeof(plot_series))

static void write_plots(FILE *to, const record *of) {
    fputs("<h2>Over time <span class=\"note\" id=\"frame\"></span></h2>\n", to);
    PLOT(to, of, "Mesh memory", "MiB",
         "Pages that can be drawn, all ranges lent (what is on its way included), and the cap.", false, 0,
         {"resident", CHART_AREA, resident, 0}, {"reserved", CHART_LINE, reserved, 0}, {"cap", CHART_LIMIT, cap_of, 0});
    PLOT(to, of, "Uploads", "MiB a frame", "Copied from the ring into mesh memory in each frame, and the budget.",
         false, 0, {"copied", CHART_AREA, copied, 0}, {"budget", CHART_LIMIT, budget_of, 0});
    PLOT(to, of, "Regions by state", "regions", "Unloaded ones are left out.", true, 0,
         {"active", CHART_AREA, regions_in, TRN_STATE_ACTIVE}, {"resident", CHART_AREA, regions_in, TRN_STATE_RESIDENT},
         {"loading", CHART_AREA, regions_in, TRN_STATE_LOADING},
         {"unloading", CHART_AREA, regions_in, TRN_STATE_UNLOADING});
    PLOT(to, of, "Draws by level", "placements", "By the finest level that each can use now; level 0 is the finest.",
         true, 5, {"level 0", CHART_AREA, draws_at, 0}, {"1", CHART_AREA, draws_at, 1}, {"2", CHART_AREA, draws_at, 2},
         {"3", CHART_AREA, draws_at, 3}, {"4", CHART_AREA, draws_at, 4}, {"5", CHART_AREA, draws_at, 5},
         {"6", CHART_AREA, draws_at, 6}, {"7", CHART_AREA, draws_at, 7}, {"8", CHART_AREA, draws_at, 8},
         {"9 and coarser", CHART_AREA, draws_from, 9});
    PLOT(to, of, "Bias", "levels", "How much coarser than asked for everything is loaded while something has no room.",
         false, 0, {"bias", CHART_STEP, bias_of, 0});
    PLOT(to, of, "Pressure", "pages a frame", "Pages that found no room, and pages that had to go.", false, 0,
         {"waiting for room", CHART_LINE, refused, 0}, {"evicted", CHART_LINE, evicted, 0});
    PLOT(to, of, "Time of an update", "ms", "Wall time of trn_world_update on one core of this machine.", false, 0,
         {"update", CHART_LINE, update_time, 0});
}

/* ---- Pictures and models ---- */

static void write_pictures(FILE *to, const record *of) {
    if (of->picture_count == 0) return;
    fputs("<h2>Pictures</h2>\n<p>Left as a player sees it, right with a hue for each level and a brightness for each "
          "cluster. Reduced here; the "
          "full ones lie beside this file.</p>\n",
          to);
    for (uint32_t i = 0; i < of->picture_count; i++) {
        const record_picture *picture = &of->pictures[i];
        fputs("<div class=\"pair\">", to);
        for (int mode = 0; mode < 2; mode++) {
            fprintf(to, "<a href=\"%s\"><img alt=\"frame %u, %s\" src=\"data:image/png;base64,", picture->file[mode],
                    picture->frame, mode ? "levels" : "shaded");
            fputs(picture->small[mode] ? picture->small[mode] : "", to);
            fputs("\"></a>", to);
        }
        fprintf(to, "<p>frame %u: %llu triangles in %u clusters of %u placements</p></div>\n", picture->frame,
                (unsigned long long)picture->triangles, picture->clusters, picture->draws);
    }
}

static void write_models(FILE *to, const record *of) {
    fputs(
        "<h2>Models</h2>\n<div class=\"scroll\"><table><tr><th>model</th><th "
        "class=\"text\">source</th><th>triangles</th><th>with all levels</th>"
        "<th>levels</th><th>pages</th><th>file KiB</th><th>bytes a triangle</th><th>cook s</th><th>placed</th></tr>\n",
        to);
    for (uint32_t i = 0; i < of->model_count; i++) {
        const record_model *m = &of->models[i];
        fprintf(to,
                "<tr><td>%s</td><td "
                "class=\"text\">%s</td><td>%llu</td><td>%llu</td><td>%u</td><td>%u</td><td>%.0f</td><td>%.1f</td>",
                m->name, m->source, (unsigned long long)m->source_triangles, (unsigned long long)m->stored_triangles,
                m->level_count, m->page_count, (double)m->file_bytes / 1024,
                (double)m->file_bytes / (double)(m->source_triangles ? m->source_triangles : 1));
        if (m->cook_seconds > 0)
            fprintf(to, "<td>%.2f</td>", m->cook_seconds);
        else
            fputs("<td>&ndash;</td>", to);
        fprintf(to, "<td>%u</td></tr>\n", m->placements);
    }
    fputs("</table></div>\n", to);
}

bool report_write(const char *path, const record *of, const watch_verdict *verdicts) {
    FILE *to = fopen(path, "wb");
    if (!to) return false;
    write_style(to);
    fputs("<h1>Terrane: a flight over an island</h1>\n<p class=\"note\">A generated island and meshes made by others "
          "are streamed under a cap of "
          "mesh memory and a budget of uploads, along a simulated camera path.</p>\n",
          to);
    write_verdicts(to, verdicts);
    write_figures(to, of);
    write_plots(to, of);
    write_pictures(to, of);
    write_models(to, of);
    write_script(to);
    fputs("</body></html>\n", to);
    bool good = !ferror(to);
    return fclose(to) == 0 && good;
}
