/* SPDX-License-Identifier: MIT */
/* PLY, in the child process: text and both binary orders, any number types, unknown properties and elements passed over.
 *
 * This one format is not assimp's to read: version 5.2.5 loses its place in some valid binary files larger than its buffer
 * of a megabyte, so that faces come out damaged or missing without a word, and it takes files that are cut short. Format:
 * Greg Turk, "The PLY Polygon File Format", 1994, and the triangle strips of the Stanford repository. Polygons become fans; a
 * quad whose first diagonal lies outside is cut along the other. */
#define _POSIX_C_SOURCE 200809L

#include "import_flat.h"
#include "import_gzip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 16, PROPERTIES_MAX = 64, WORD_BYTES = 64 };

typedef enum number_type { I8, U8, I16, U16, I32, U32, F32, F64, NO_TYPE } number_type;

static const struct {
    const char *name, *alias;
    uint32_t bytes;
} number_types[] = {{"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2},   {"ushort", "uint16", 2},
                    {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8}};

/* Where a number of a vertex goes. */
typedef enum slot { X, Y, Z, NX, NY, NZ, U, V, RED, GREEN, BLUE, ALPHA, SLOT_COUNT } slot;

static const struct {
    const char *name;
    slot slot;
} slot_names[] = {{"x", X},     {"y", Y},         {"z", Z},         {"nx", NX},      {"ny", NY}, {"nz", NZ},
                  {"u", U},     {"s", U},         {"texture_u", U}, {"v", V},        {"t", V},   {"texture_v", V},
                  {"red", RED}, {"green", GREEN}, {"blue", BLUE},   {"alpha", ALPHA}};

typedef struct property {
    number_type count_type; /* NO_TYPE: no list */
    number_type type;
    slot slot; /* SLOT_COUNT: none */
    bool is_face_list;
} property;

typedef enum element_kind { OTHER, VERTICES, FACES, STRIPS } element_kind;

typedef struct element {
    element_kind kind;
    uint64_t count;
    property properties[PROPERTIES_MAX];
    uint32_t property_count;
} element;

typedef struct reader {
    import_flat *flat;
    const char *next, *end;
    enum { TEXT, LITTLE, BIG } order;
    element elements[ELEMENTS_MAX];
    uint32_t element_count;
    uint64_t index_capacity;
    uint32_t *corners; /* of the face being read */
    uint32_t corner_capacity;
} reader;

static noreturn void cut_short(const reader *r) { import_refuse(r->flat, "PLY: the file is cut short"); }

/* ---- Header ----------------------------------------------------------------------------------------------------- */

/* Splits the next line into at most `max` words; more are passed over. */
static uint32_t next_line(reader *r, char words[][WORD_BYTES], uint32_t max) {
    uint32_t count = 0;
    if (r->next == r->end) cut_short(r);
    while (r->next < r->end && *r->next != '\n') {
        const size_t blanks = strspn(r->next, " \t\r");
        r->next += blanks;
        const size_t length = strcspn(r->next, " \t\r\n");
        if (length == 0 && blanks == 0) import_refuse(r->flat, "PLY: its header is damaged");
        if (length > 0 && count < max)
            snprintf(words[count++], WORD_BYTES, "%.*s", length < WORD_BYTES ? (int)length : WORD_BYTES - 1, r->next);
        r->next += length;
    }
    if (r->next < r->end) r->next++;
    return count;
}

static number_type type_of(const reader *r, const char *word) {
    for (int t = I8; t < NO_TYPE; t++) {
        if (strcmp(word, number_types[t].name) == 0 || strcmp(word, number_types[t].alias) == 0) return (number_type)t;
    }
    import_refuse(r->flat, "PLY: its header names a type that there is not");
}

static void add_element(reader *r, const char *name, const char *count) {
    char *end;
    if (r->element_count == ELEMENTS_MAX) import_refuse(r->flat, "PLY: too many elements");
    element *e = &r->elements[r->element_count++];
    *e = (element){.count = strtoull(count, &end, 10)};
    if (*end || count[0] == '-') import_refuse(r->flat, "PLY: its header is damaged");
    if (strcmp(name, "vertex") == 0) e->kind = VERTICES;
    if (strcmp(name, "face") == 0) e->kind = FACES;
    if (strcmp(name, "tristrips") == 0) e->kind = STRIPS;
}

static void add_property(reader *r, char words[][WORD_BYTES], uint32_t count) {
    const bool is_list = count == 5 && strcmp(words[1], "list") == 0;
    element *e = r->element_count ? &r->elements[r->element_count - 1] : NULL;
    if (!e || (!is_list && count != 3)) import_refuse(r->flat, "PLY: its header is damaged");
    if (e->property_count == PROPERTIES_MAX) import_refuse(r->flat, "PLY: too many properties");
    const char *name = words[count - 1];
    property *p = &e->properties[e->property_count++];
    *p = (property){.count_type = is_list ? type_of(r, words[2]) : NO_TYPE,
                    .type = type_of(r, words[is_list ? 3 : 1]),
                    .slot = SLOT_COUNT};
    p->is_face_list =
        is_list && e->kind != VERTICES && (strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0);
    if (is_list || e->kind != VERTICES) return;
    for (size_t i = 0; i < sizeof slot_names / sizeof *slot_names; i++) {
        if (strcmp(name, slot_names[i].name) == 0) p->slot = slot_names[i].slot;
    }
}

static void read_header(reader *r) {
    char words[6][WORD_BYTES];
    if (next_line(r, words, 6) != 1 || strcmp(words[0], "ply") != 0) import_refuse(r->flat, "PLY: it is none");
    bool has_format = false;
    for (;;) {
        const uint32_t count = next_line(r, words, 6);
        if (count == 0) continue;
        if (strcmp(words[0], "end_header") == 0) break;
        if (strcmp(words[0], "format") == 0 && count >= 2) {
            has_format = true;
            if (strcmp(words[1], "ascii") == 0)
                r->order = TEXT;
            else if (strcmp(words[1], "binary_little_endian") == 0)
                r->order = LITTLE;
            else if (strcmp(words[1], "binary_big_endian") == 0)
                r->order = BIG;
            else
                has_format = false;
        } else if (strcmp(words[0], "element") == 0) {
            if (count != 3) import_refuse(r->flat, "PLY: its header is damaged");
            add_element(r, words[1], words[2]);
        } else if (strcmp(words[0], "property") == 0) {
            add_property(r, words, count);
        } /* else a comment, or what some writer took for one */
    }
    if (!has_format) import_refuse(r->flat, "PLY: its header names no format");
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

static double next_word(reader *r) {
    r->next += strspn(r->next, " \t\r\n");
    if (r->next >= r->end) cut_short(r);
    char *end;
    const double value = strtod(r->next, &end);
    if (end == r->next || (*end && !strchr(" \t\r\n", *end))) import_refuse(r->flat, "PLY: a number is damaged");
    r->next = end;
    return value;
}

static double next_number(reader *r, number_type type) {
    if (r->order == TEXT) return next_word(r);
    const uint32_t bytes = number_types[type].bytes;
    if ((size_t)(r->end - r->next) < bytes) cut_short(r);
    uint64_t bits = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        const uint32_t at = r->order == LITTLE ? bytes - 1 - i : i;
        bits = bits << 8 | (unsigned char)r->next[at];
    }
    r->next += bytes;
    const uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case I8: return bits < 0x80 ? (double)bits : (double)bits - 0x100;
    case I16: return bits < 0x8000 ? (double)bits : (double)bits - 0x10000;
    case I32: return bits < 0x80000000 ? (double)bits : (double)bits - 4294967296.0;
    case F32: memcpy(&single, &low, sizeof single); return (double)single;
    case F64: memcpy(&value, &bits, sizeof value); return value;
    default: return (double)bits;
    }
}

static uint32_t next_list_count(reader *r, const property *p) {
    const double count = next_number(r, p->count_type);
    /* Each entry takes a byte at least, in text a digit. */
    if (!(count >= 0 && count <= (double)(r->end - r->next))) cut_short(r);
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* ---- Vertices --------------------------------------------------------------------------------------------------- */

static uint8_t color_of(const property *p, double value) {
    const double unit = p->type == F32 || p->type == F64 ? value : p->type == U16 ? value / 65535 : value / 255;
    return unit > 0 ? unit < 1 ? (uint8_t)(unit * 255 + 0.5) : 255 : 0;
}

static void put_number(const import_flat *flat, const property *p, uint64_t v, double value) {
    const uint32_t s = p->slot;
    if (s <= Z)
        flat->positions[v * 3 + s] = (float)value;
    else if (s <= NZ && flat->normals)
        flat->normals[v * 3 + s - NX] = (float)value;
    else if (s <= V && s >= U && flat->uv0)
        flat->uv0[v * 2 + s - U] = (float)value;
    else if (s <= ALPHA && s >= RED && flat->colors)
        flat->colors[v * 4 + s - RED] = color_of(p, value);
}

static void read_vertices(reader *r, const element *e) {
    for (uint64_t v = 0; v < e->count; v++) {
        if (r->flat->colors) r->flat->colors[v * 4 + 3] = 255;
        for (uint32_t i = 0; i < e->property_count; i++) {
            const property *p = &e->properties[i];
            uint32_t times = p->count_type == NO_TYPE ? 1 : next_list_count(r, p);
            for (; times > 0; times--) put_number(r->flat, p, v, next_number(r, p->type));
        }
    }
}

/* ---- Faces ------------------------------------------------------------------------------------------------------ */

static void put_triangle(reader *r, uint32_t a, uint32_t b, uint32_t c) {
    import_flat *flat = r->flat;
    if (flat->header.index_count + 3 > r->index_capacity) {
        r->index_capacity = r->index_capacity ? r->index_capacity * 2 : 3 << 16;
        uint32_t *grown =
            r->index_capacity < SIZE_MAX / 8 ? realloc(flat->indices, (size_t)r->index_capacity * sizeof *grown) : NULL;
        if (!grown) import_out_of_memory(flat);
        flat->indices = grown;
    }
    uint32_t *to = flat->indices + flat->header.index_count;
    to[0] = a, to[1] = b, to[2] = c;
    flat->header.index_count += 3;
}

/* The normal of a corner triangle, as long as twice its area. */
static void normal_of(const import_flat *flat, uint32_t a, uint32_t b, uint32_t c, double normal[3]) {
    const float *pa = &flat->positions[(size_t)a * 3], *pb = &flat->positions[(size_t)b * 3],
                *pc = &flat->positions[(size_t)c * 3];
    for (int k = 0; k < 3; k++) {
        const int x = (k + 1) % 3, y = (k + 2) % 3;
        normal[k] = ((double)pb[x] - (double)pa[x]) * ((double)pc[y] - (double)pa[y]) -
                    ((double)pb[y] - (double)pa[y]) * ((double)pc[x] - (double)pa[x]);
    }
}

/* Do the halves of a quad along the diagonal 0-2 turn against each other? */
static bool is_first_diagonal_outside(const import_flat *flat, const uint32_t *c) {
    double first[3], second[3];
    normal_of(flat, c[0], c[1], c[2], first);
    normal_of(flat, c[0], c[2], c[3], second);
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2] < 0;
}

static void put_polygon(reader *r, uint32_t count) {
    uint32_t *c = r->corners;
    if (count < 3) {
        r->flat->header.left_out++;
        return;
    }
    if (count == 4 && is_first_diagonal_outside(r->flat, c)) {
        put_triangle(r, c[0], c[1], c[3]);
        put_triangle(r, c[1], c[2], c[3]);
        return;
    }
    for (uint32_t i = 2; i < count; i++) put_triangle(r, c[0], c[i - 1], c[i]);
}

/* Strips with every second triangle turned; UINT32_MAX starts anew. */
static void put_strip(reader *r, uint32_t count) {
    const uint32_t *c = r->corners;
    uint32_t start = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (c[i] == UINT32_MAX)
            start = i + 1;
        else if (i - start >= 2 && (i - start) % 2 == 0)
            put_triangle(r, c[i - 2], c[i - 1], c[i]);
        else if (i - start >= 2)
            put_triangle(r, c[i - 1], c[i - 2], c[i]);
    }
}

static void read_corners(reader *r, const property *p, uint32_t count, bool is_strip) {
    if (count > r->corner_capacity) {
        r->corner_capacity = count < 64 ? 64 : count;
        free(r->corners);
        r->corners = malloc((size_t)r->corner_capacity * sizeof *r->corners);
        if (!r->corners) import_out_of_memory(r->flat);
    }
    for (uint32_t i = 0; i < count; i++) {
        const double corner = next_number(r, p->type);
        const bool is_good = corner >= 0 && corner < (double)r->flat->header.vertex_count;
        if (!is_good && !(is_strip && corner == -1))
            import_refuse(r->flat, "PLY: a face refers to a vertex that does not exist");
        r->corners[i] = is_good ? (uint32_t)corner : UINT32_MAX;
    }
}

static void read_faces(reader *r, const element *e) {
    for (uint64_t f = 0; f < e->count; f++) {
        for (uint32_t i = 0; i < e->property_count; i++) {
            const property *p = &e->properties[i];
            uint32_t count = p->count_type == NO_TYPE ? 1 : next_list_count(r, p);
            if (p->is_face_list) {
                read_corners(r, p, count, e->kind == STRIPS);
                if (e->kind == STRIPS)
                    put_strip(r, count);
                else if (e->kind == FACES)
                    put_polygon(r, count);
            } else {
                for (; count > 0; count--) next_number(r, p->type);
            }
        }
    }
}

/* ---- The file --------------------------------------------------------------------------------------------------- */

static bool has_slots(const element *e, slot first, slot last) {
    uint32_t found = 0, wanted = 0;
    for (uint32_t i = 0; i < e->property_count; i++) {
        if (e->properties[i].slot < SLOT_COUNT) found |= UINT32_C(1) << e->properties[i].slot;
    }
    for (uint32_t s = first; s <= last; s++) wanted |= UINT32_C(1) << s;
    return (found & wanted) == wanted;
}

/* A header may claim anything; each record takes some bytes, in text a digit and a blank for each number. */
static void check_count(const reader *r, const element *e) {
    uint64_t least = 0;
    for (uint32_t i = 0; i < e->property_count; i++) {
        const property *p = &e->properties[i];
        least += r->order == TEXT ? 2 : number_types[p->count_type == NO_TYPE ? p->type : p->count_type].bytes;
    }
    /* The last number of a text needs no blank behind it. */
    if (least == 0 ? e->count > 0 : e->count > ((uint64_t)(r->end - r->next) + 1) / least) cut_short(r);
}

static void start_vertices(reader *r, const element *e) {
    import_header *h = &r->flat->header;
    if (h->vertex_count > 0 || !has_slots(e, X, Z)) import_refuse(r->flat, "PLY: its vertices have no x, y and z");
    if (e->count > UINT32_MAX - 1) import_refuse(r->flat, "PLY: it has more than 2^32 vertices");
    h->vertex_count = e->count;
    if (has_slots(e, NX, NZ)) h->attributes |= TRN_ATTRIBUTE_NORMAL;
    if (has_slots(e, U, V)) h->attributes |= TRN_ATTRIBUTE_UV0;
    if (has_slots(e, RED, BLUE)) h->attributes |= TRN_ATTRIBUTE_COLOR;
    import_flat_allocate(r->flat);
}

void import_ply(import_flat *flat, const char *path) {
    static const char name[] = "material 0";
    gzip_file file;
    const char *problem = gzip_open(&file, path);
    if (problem && !problem[0]) import_out_of_memory(flat);
    if (problem) import_refuse(flat, problem);
    reader *r = calloc(1, sizeof *r);
    if (!r) import_out_of_memory(flat);
    r->flat = flat;
    r->next = file.bytes;
    r->end = file.bytes + file.size;
    flat->header.submesh_count = flat->header.material_count = 1;

    read_header(r);
    for (uint32_t i = 0; i < r->element_count; i++) {
        const element *e = &r->elements[i];
        check_count(r, e);
        if (e->kind == VERTICES) {
            start_vertices(r, e);
            read_vertices(r, e);
        } else {
            read_faces(r, e);
        }
    }
    if (flat->header.index_count == 0) import_refuse(flat, "there is no triangle in it");
    flat->submeshes[0].index_count = flat->header.index_count;
    memcpy(flat->names, name, sizeof name);
    flat->header.name_bytes = sizeof name;
}
