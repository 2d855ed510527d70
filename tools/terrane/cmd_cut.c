/* SPDX-License-Identifier: MIT */
#include "json_write.h"
#include "model_file.h"
#include "options.h"
#include "output_file.h"
#include "report.h"
#include "subcommands.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: terrane cut FILE (--error E | --camera X,Y,Z [--px P] [--height H] [--fov DEG]) [--missing M] -o OUT.ply "
    "[--json]\n"
    "\n"
    "Writes the triangles that would be drawn, as a binary PLY in the model's units: float64 vertices, no two at one "
    "place.\n"
    "\n"
    "  --error E             the coarsest cut of which no group has an error above E\n"
    "  --camera X,Y,Z        the cut for a camera there ...\n"
    "  --px P                  ... that allows P pixels of error (1)\n"
    "  --height H              ... in a viewport of H pixels (1080)\n"
    "  --fov DEG               ... with this vertical angle (60)\n"
    "  --missing LIST        pages that are not in memory: numbers with commas; what depends on them is missing, too\n"
    "  --missing random:SEED each page is missing with a probability of one half\n"
    "  -o OUT.ply            where the triangles go\n"
    "  --json                one JSON object instead of a table\n";

enum { OUTPUT, ERROR, CAMERA, PX, HEIGHT, FOV, MISSING, JSON, COUNT };

/* ---- Options ---------------------------------------------------------------------------------------------------- */

static bool parse_place(const char *text, double place[3]) {
    char copy[256];
    if (strlen(text) >= sizeof copy) return false;
    strcpy(copy, text);
    char *next = copy;
    for (int k = 0; k < 3; k++) {
        char *comma = strchr(next, ',');
        if ((comma != NULL) != (k < 2)) return false;
        if (comma) *comma = 0;
        if (!text_number(next, &place[k])) return false;
        if (comma) next = comma + 1;
    }
    return true;
}

static bool parse_view(const options *all, trn_cut_def *def) {
    const option *list = all->list;
    double error = 0, px = 1, height = 1080, fov = 60;
    def->by_camera = list[CAMERA].value != NULL;
    if (def->by_camera == (list[ERROR].value != NULL)) {
        report(TOOL_USAGE, "cut: either --error or --camera must be given");
        return false;
    }
    if (!def->by_camera && (list[PX].value || list[HEIGHT].value || list[FOV].value)) {
        report(TOOL_USAGE, "cut: --px, --height and --fov go with --camera");
        return false;
    }
    if (def->by_camera && !parse_place(list[CAMERA].value, def->camera)) {
        report(TOOL_USAGE, "cut: --camera wants X,Y,Z, not '%s'", list[CAMERA].value);
        return false;
    }
    if (!options_number(all, ERROR, 0, FLT_MAX, &error) || !options_number(all, PX, 1e-6, 1e6, &px) ||
        !options_number(all, HEIGHT, 1, 1e6, &height) || !options_number(all, FOV, 0.001, 179.9, &fov))
        return false;
    def->error = (float)error;
    def->threshold_px = (float)px;
    def->viewport_height = (float)height;
    def->fov_y = (float)(fov * 3.14159265358979323846 / 180);
    return true;
}

/* ---- Missing pages ---------------------------------------------------------------------------------------------- */

/* SplitMix64: any seed, also 0, gives a good sequence. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int parse_list(const char *text, uint32_t page_count, uint8_t *missing) {
    for (const char *next = text; next;) {
        char item[24];
        uint64_t page;
        const size_t length = strcspn(next, ",");
        if (length >= sizeof item)
            return report(TOOL_USAGE, "cut: --missing wants page numbers with commas, not '%s'", text);
        memcpy(item, next, length);
        item[length] = 0;
        if (!text_u64(item, &page))
            return report(TOOL_USAGE, "cut: --missing wants random:SEED or page numbers with commas, not '%s'", text);
        if (page >= page_count)
            return report(TOOL_USAGE, "cut: --missing names page %s, but the last one is %u", item, page_count - 1);
        missing[page] = 1;
        next = next[length] ? next + length + 1 : NULL;
    }
    return TOOL_DONE;
}

static int parse_missing(const char *text, uint32_t page_count, uint8_t *missing) {
    static const char random[] = "random:";
    if (strncmp(text, random, sizeof random - 1) != 0) return parse_list(text, page_count, missing);
    uint64_t state;
    if (!text_u64(text + sizeof random - 1, &state))
        return report(TOOL_USAGE, "cut: --missing random: wants a whole number as seed, not '%s'", text);
    for (uint32_t p = 0; p < page_count; p++) missing[p] = next_random(&state) >> 63 & 1;
    return TOOL_DONE;
}

/* As the library does: page 0's level is always there, and a page misses with any that it depends on. */
static void close_missing(const trn_model *model, uint32_t page_count, uint8_t *missing) {
    trn_model_page page, root;
    trn_model_get_page(model, 0, &root);
    for (uint32_t p = 0; p < page_count; p++) {
        trn_model_get_page(model, p, &page);
        if (page.level == root.level) missing[p] = 0;
        for (uint32_t d = 0; d < page.dependency_count; d++) {
            uint32_t other = 0;
            trn_model_get_dependency(model, page.first_dependency + d, &other);
            missing[p] |= missing[other];
        }
    }
}

/* ---- Output ------------------------------------------------------------------------------------------------------ */

static void put_u32(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static void put_f64(uint8_t *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(to, (uint32_t)bits);
    put_u32(to + 4, (uint32_t)(bits >> 32));
}

enum { VERTEX_BYTES = 24, FACE_BYTES = 13, BATCH = 65536 };

static int write_vertices(output_file *out, const trn_cut *cut, uint8_t *buffer) {
    for (uint32_t done = 0; done < cut->vertex_count;) {
        const uint32_t count = cut->vertex_count - done < BATCH ? cut->vertex_count - done : BATCH;
        for (uint32_t i = 0; i < count * 3; i++) put_f64(buffer + (size_t)i * 8, cut->positions[(size_t)done * 3 + i]);
        const int exit_code = output_write(out, buffer, (size_t)count * VERTEX_BYTES);
        if (exit_code != TOOL_DONE) return exit_code;
        done += count;
    }
    return TOOL_DONE;
}

static int write_faces(output_file *out, const trn_cut *cut, uint8_t *buffer) {
    for (uint64_t done = 0; done < cut->triangle_count;) {
        const uint64_t left = cut->triangle_count - done, count = left < BATCH ? left : BATCH;
        for (uint64_t i = 0; i < count; i++) {
            uint8_t *face = buffer + i * FACE_BYTES;
            face[0] = 3;
            for (unsigned k = 0; k < 3; k++) put_u32(face + 1 + 4 * k, cut->indices[(done + i) * 3 + k]);
        }
        const int exit_code = output_write(out, buffer, (size_t)count * FACE_BYTES);
        if (exit_code != TOOL_DONE) return exit_code;
        done += count;
    }
    return TOOL_DONE;
}

static int write_ply(const char *path, const trn_cut *cut) {
    char header[512];
    const int length = snprintf(header, sizeof header,
                                "ply\nformat binary_little_endian 1.0\ncomment a cut by terrane, in the model's units\n"
                                "element vertex %u\nproperty double x\nproperty double y\nproperty double z\n"
                                "element face %llu\nproperty list uchar int vertex_indices\nend_header\n",
                                cut->vertex_count, (unsigned long long)cut->triangle_count);
    uint8_t *buffer = malloc((size_t)BATCH * VERTEX_BYTES);
    if (!buffer) return report(TOOL_OUT_OF_MEMORY, "%s: writing: out of memory", path);
    output_file out;
    int exit_code = output_open(&out, path);
    if (exit_code == TOOL_DONE) exit_code = output_write(&out, header, (size_t)length);
    if (exit_code == TOOL_DONE) exit_code = write_vertices(&out, cut, buffer);
    if (exit_code == TOOL_DONE) exit_code = write_faces(&out, cut, buffer);
    if (exit_code == TOOL_DONE) exit_code = output_commit(&out);
    output_discard(&out);
    free(buffer);
    return exit_code;
}

static void print_pages(const char *what, const uint8_t *missing, uint32_t page_count) {
    bool any = false;
    printf("%s", what);
    for (uint32_t p = 0; p < page_count; p++) {
        if (!missing[p]) continue;
        printf("%s%u", any ? "," : "", p);
        any = true;
    }
    printf("%s\n", any ? "" : "none");
}

static void json_pages(json *j, const char *key, const uint8_t *missing, uint32_t page_count) {
    json_array(j, key);
    for (uint32_t p = 0; p < page_count; p++) {
        if (missing[p]) json_u64(j, NULL, p);
    }
    json_end(j);
}

/* `missing` has two lists of `page_count`: as asked for, and closed. */
static void show(const options *all, const trn_cut *cut, const uint8_t *missing, uint32_t page_count) {
    if (!all->list[JSON].value) {
        printf("%s: %llu triangles, %u vertices, %u clusters\n", all->list[OUTPUT].value,
               (unsigned long long)cut->triangle_count, cut->vertex_count, cut->cluster_count);
        if (!all->list[MISSING].value) return;
        print_pages("missing as asked for: ", missing, page_count);
        print_pages("missing in effect:    ", missing + page_count, page_count);
        return;
    }
    json j = {.to = stdout};
    json_object(&j, NULL);
    json_text(&j, "file", all->operand);
    json_text(&j, "output", all->list[OUTPUT].value);
    json_u64(&j, "triangles", cut->triangle_count);
    json_u64(&j, "vertices", cut->vertex_count);
    json_u64(&j, "clusters", cut->cluster_count);
    json_pages(&j, "missing_asked", missing, page_count);
    json_pages(&j, "missing", missing + page_count, page_count);
    json_end(&j);
}

static int cut_model(const options *all, const trn_model_data *data, trn_cut_def *def) {
    const trn_model *model = trn_model_data_tables(data);
    trn_model_info info;
    trn_model_get_info(model, &info);
    uint8_t *missing = calloc(2, info.page_count);
    if (!missing) return report(TOOL_OUT_OF_MEMORY, "%s: cut: out of memory", all->operand);
    int exit_code = TOOL_DONE;
    if (all->list[MISSING].value) {
        exit_code = parse_missing(all->list[MISSING].value, info.page_count, missing);
        memcpy(missing + info.page_count, missing, info.page_count);
        close_missing(model, info.page_count, missing + info.page_count);
        def->missing = missing + info.page_count;
    }
    trn_cut cut = {0};
    if (exit_code == TOOL_DONE) {
        trn_error error = {.code = TRN_OK};
        const trn_result result = trn_cut_make(data, def, &cut, &error);
        exit_code =
            result == TRN_OK ? write_ply(all->list[OUTPUT].value, &cut) : report_result(result, &error, all->operand);
        if (exit_code == TOOL_DONE) show(all, &cut, missing, info.page_count);
        if (result == TRN_OK) trn_cut_free(&cut);
    }
    free(missing);
    return exit_code;
}

int cmd_cut(int argc, char **argv) {
    option list[COUNT] = {[OUTPUT] = {.name = "-o"},         [ERROR] = {.name = "--error"},
                          [CAMERA] = {.name = "--camera"},   [PX] = {.name = "--px"},
                          [HEIGHT] = {.name = "--height"},   [FOV] = {.name = "--fov"},
                          [MISSING] = {.name = "--missing"}, [JSON] = {.name = "--json", .is_flag = true}};
    options all = {.subcommand = "cut", .usage = usage, .list = list, .count = COUNT, .operand_name = "FILE"};
    const options_next next = options_parse(&all, argc, argv);
    if (next != OPTIONS_GO_ON) return next == OPTIONS_DONE ? TOOL_DONE : TOOL_USAGE;
    if (!list[OUTPUT].value || !list[OUTPUT].value[0])
        return report(TOOL_USAGE, "cut: missing: -o OUT.ply (see terrane cut --help)");
    trn_cut_def def = {0};
    if (!parse_view(&all, &def)) return TOOL_USAGE;
    int exit_code = output_check(list[OUTPUT].value, all.operand);
    if (exit_code != TOOL_DONE) return exit_code;

    trn_model_data *data;
    exit_code = model_file_load(all.operand, &data);
    if (exit_code != TOOL_DONE) return exit_code;
    exit_code = cut_model(&all, data, &def);
    trn_model_data_free(data);
    return exit_code;
}
