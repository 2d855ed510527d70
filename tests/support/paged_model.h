/* SPDX-License-Identifier: MIT */
/* A valid model file made in memory without the cook, of the kind that the cook does not make yet: several pages a level,
 * groups whose products go into several groups, clusters that belong to many levels, real borders, chunks of any size.
 * (tiny_model.h is the simple one.) Needs INTERNAL and, to link, xxhash.
 *
 *     uint8_t *bytes;
 *     size_t size = paged_model_make(&(paged_model_def){.levels = 4, .page_groups = 1}, &bytes);
 *     ... free(bytes);
 *
 * The surface is a tube with bumps, closed by two caps. A cluster is the tube between two rings: 2^levels clusters in level
 * 0. A group takes three to five neighbours and makes about half as many, by leaving out every second ring inside; from level
 * to level the groups are shifted. The last group makes one cluster of all. All proofs of verify hold. */
#ifndef TEST_PAGED_MODEL_H
#define TEST_PAGED_MODEL_H

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL /* before tiny_model.h, which includes xxhash */
#endif
#include "tiny_model.h"

typedef struct paged_model_def {
    uint32_t levels;         /* 0: 4; at most 10 */
    uint32_t sides;          /* of the tube; 0: 4; 3..32 */
    uint32_t page_groups;    /* groups a page; 0: one page a level */
    uint32_t chunk_elements; /* most vertices, clusters or groups of a chunk; 0: all of a page */
    bool terminal;           /* adds a tetrahedron beside the tube that nothing replaces: it belongs to every level */
    bool open;               /* leaves the caps out: two real borders */
    uint32_t seed;           /* of the bumps */
} paged_model_def;

#define PAGED_STEP (1.0f / 256.0f)
#define PAGED_LEVELS 10u
#define PAGED_CLUSTERS (1u << PAGED_LEVELS)

/* ---- finding things in a file that is sound ---- */

static inline uint8_t *paged_model_level(uint8_t *file, uint32_t level) {
    return file + trni_get_u64(file + TRNI_HEAD_LEVEL_TABLE) + (size_t)level * TRNI_LEVEL_SIZE;
}
static inline uint8_t *paged_model_page(uint8_t *file, uint32_t page) {
    return file + trni_get_u64(file + TRNI_HEAD_PAGE_TABLE) + (size_t)page * TRNI_PAGE_SIZE;
}
static inline uint8_t *paged_model_dependency(uint8_t *file, uint32_t entry) {
    return file + trni_get_u64(file + TRNI_HEAD_DEPENDENCY_TABLE) + (size_t)entry * TRNI_DEPENDENCY_SIZE;
}
static inline uint8_t *paged_model_chunk(uint8_t *file, uint32_t chunk) {
    return file + trni_get_u64(file + TRNI_HEAD_CHUNK_TABLE) + (size_t)chunk * TRNI_CHUNK_SIZE;
}
/* The first byte of a page's element: a vertex, a cluster's entry, a group. */
static inline uint8_t *paged_model_element(uint8_t *file, uint32_t page, trn_chunk_kind kind, uint32_t element) {
    static const size_t sizes[] = {TRNI_VERTEX_SIZE, TRNI_CLUSTER_ENTRY_SIZE, TRNI_GROUP_SIZE};
    const uint8_t *record = paged_model_page(file, page);
    uint32_t first = trni_get_u32(record + TRNI_PAGE_FIRST_CHUNK), count = trni_get_u32(record + TRNI_PAGE_CHUNK_COUNT);
    for (uint32_t c = first; c < first + count; c++) {
        const uint8_t *chunk = paged_model_chunk(file, c);
        uint32_t begin = trni_get_u32(chunk + TRNI_CHUNK_FIRST);
        if (trni_get_u32(chunk + TRNI_CHUNK_KIND) == (uint32_t)kind && element >= begin &&
            element - begin < trni_get_u32(chunk + TRNI_CHUNK_COUNT))
            return file + trni_get_u64(chunk + TRNI_CHUNK_OFFSET) + (element - begin) * sizes[kind];
    }
    abort();
}

/* ---- the shape ---- */

/* One level, by place along the tube. */
typedef struct paged_level {
    uint32_t clusters, groups, pages;
    uint32_t first_group, first_page;         /* counted within the model */
    uint32_t rings[PAGED_CLUSTERS + 1];       /* where clusters meet; counted in level 0 */
    uint32_t own_group[PAGED_CLUSTERS];       /* by cluster: group of the finer level that made it */
    uint32_t parent_group[PAGED_CLUSTERS];    /* by cluster: group of this level that it is a member of */
    uint32_t group_begin[PAGED_CLUSTERS + 1]; /* by group: its first member */
    uint32_t made_begin[PAGED_CLUSTERS + 1];  /* by group: the first cluster it made, in the next level */
    float spheres[PAGED_CLUSTERS][4];         /* by group */
} paged_level;

typedef struct paged_plan {
    paged_model_def def;
    paged_level levels[PAGED_LEVELS];
} paged_plan;

static inline float paged_error(uint32_t level, uint32_t group) {
    return 0.5f * (float)(level + 1) + 0.001f * (float)group;
}
static inline uint32_t paged_page_groups(const paged_plan *plan, uint32_t level) {
    return plan->def.page_groups ? plan->def.page_groups : plan->levels[level].groups;
}
/* Page, counted within the model, of a cluster. */
static inline uint32_t paged_page_of(const paged_plan *plan, uint32_t level, uint32_t cluster) {
    const paged_level *l = &plan->levels[level];
    return l->first_page + (l->groups ? l->parent_group[cluster] / paged_page_groups(plan, level) : 0);
}

/* A vertex of the tube on the grid. */
static inline void paged_vertex(const paged_plan *plan, uint32_t ring, uint32_t side, uint16_t place[3]) {
    uint32_t bump = (ring * 2654435761u ^ (plan->def.seed * 40503u + 977u)) >> 7;
    double radius = 480.0 + bump % 97, angle = 6.283185307179586 * side / plan->def.sides;
    place[0] = (uint16_t)(40 + 50 * ring);
    place[1] = (uint16_t)lround(1000.0 + radius * cos(angle));
    place[2] = (uint16_t)lround(1000.0 + radius * sin(angle));
}
static inline void paged_terminal_vertex(uint32_t corner, uint16_t place[3]) {
    place[0] = (uint16_t)(40 + 60 * (corner & 1));
    place[1] = (uint16_t)(1800 + 60 * (corner >> 1));
    place[2] = (uint16_t)(corner % 3 == 0 ? 1060 : 1000);
}
static inline double paged_coordinate(int axis, uint32_t place) { return -2.0 + axis + (double)PAGED_STEP * place; }

/* Makes a sphere's radius enough for another (a point: radius 0); generous, so that float rounding is no matter. */
static inline void paged_enclose(float sphere[4], const double at[3], double radius) {
    double sum = 0;
    for (int a = 0; a < 3; a++) sum += (at[a] - (double)sphere[a]) * (at[a] - (double)sphere[a]);
    double needed = (sqrt(sum) + radius) * 1.00001;
    if (needed > (double)sphere[3]) sphere[3] = (float)(needed * 1.00001);
}
static inline void paged_enclose_sphere(float sphere[4], const float inner[4]) {
    paged_enclose(sphere, (double[3]){(double)inner[0], (double)inner[1], (double)inner[2]}, (double)inner[3]);
}
/* A sphere around the tube between two rings. */
static inline void paged_tube_sphere(const paged_plan *plan, uint32_t first_ring, uint32_t last_ring, float sphere[4]) {
    sphere[0] = (float)paged_coordinate(0, 40 + 25 * (first_ring + last_ring));
    sphere[1] = (float)paged_coordinate(1, 1000);
    sphere[2] = (float)paged_coordinate(2, 1000);
    sphere[3] = 0;
    for (uint32_t ring = first_ring; ring <= last_ring; ring++)
        for (uint32_t side = 0; side < plan->def.sides; side++) {
            uint16_t place[3];
            double at[3];
            paged_vertex(plan, ring, side, place);
            for (int a = 0; a < 3; a++) at[a] = paged_coordinate(a, place[a]);
            paged_enclose(sphere, at, 0);
        }
}

/* Puts the clusters of a level into groups and makes the next level. */
static inline void paged_plan_groups(paged_plan *plan, uint32_t number) {
    paged_level *level = &plan->levels[number], *next = level + 1;
    bool last = number + 2 == plan->def.levels;
    for (uint32_t begin = 0, end; begin < level->clusters; begin = end) {
        uint32_t left = level->clusters - begin, take = begin == 0 && number % 2 ? 3 : 4;
        if (last || take > left || take + 1 == left) take = left;
        end = begin + take;
        level->group_begin[level->groups] = begin;
        level->made_begin[level->groups] = next->clusters;
        for (uint32_t c = begin; c < end; c++) level->parent_group[c] = level->groups;
        for (uint32_t c = begin; c < end; c = last ? end : c + 2) {
            next->own_group[next->clusters] = level->groups;
            next->rings[++next->clusters] = level->rings[last || c + 2 > end ? end : c + 2];
        }
        float *sphere = level->spheres[level->groups++];
        paged_tube_sphere(plan, level->rings[begin], level->rings[end], sphere);
        for (uint32_t c = begin; c < end && number > 0; c++)
            paged_enclose_sphere(sphere, level[-1].spheres[level->own_group[c]]);
    }
    level->group_begin[level->groups] = level->clusters;
    level->made_begin[level->groups] = next->clusters;
}

static inline void paged_plan_make(paged_plan *plan, const paged_model_def *def) {
    if (def) plan->def = *def;
    if (plan->def.levels == 0) plan->def.levels = 4;
    if (plan->def.sides == 0) plan->def.sides = 4;
    if (plan->def.levels > PAGED_LEVELS || plan->def.sides < 3 || plan->def.sides > 32) abort();
    plan->levels[0].clusters = 1u << plan->def.levels;
    for (uint32_t c = 0; c <= plan->levels[0].clusters; c++) plan->levels[0].rings[c] = c;
    for (uint32_t l = 0; l + 1 < plan->def.levels; l++) paged_plan_groups(plan, l);
    for (uint32_t l = plan->def.levels, group = 0, page = 0; l-- > 0;) { /* coarse to fine, as in the file */
        paged_level *level = &plan->levels[l];
        level->first_group = group;
        level->first_page = page;
        level->pages = level->groups ? (level->groups - 1) / paged_page_groups(plan, l) + 1 : 1;
        group += level->groups;
        page += level->pages;
    }
}

/* ---- a page, before it is cut into chunks ---- */

typedef struct paged_bytes {
    uint8_t *parts[5]; /* vertices, entries, references, corners, groups */
    uint32_t vertices, clusters, triangles, groups;
    uint32_t reference_end[PAGED_CLUSTERS + 1], corner_end[PAGED_CLUSTERS + 1]; /* by cluster */
} paged_bytes;

static inline void *paged_alloc(size_t bytes) {
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory) abort();
    return memory;
}

static inline void paged_put_sphere(uint8_t *at, const float sphere[4]) {
    for (int i = 0; i < 4; i++) trni_put_f32(at + 4 * i, sphere[i]);
}

static inline void paged_put_vertex(paged_bytes *page, const uint16_t place[3]) {
    uint8_t *at = page->parts[0] + (size_t)page->vertices++ * TRNI_VERTEX_SIZE;
    for (int a = 0; a < 3; a++) trni_put_u16(at + TRNI_VERTEX_POSITION + 2 * a, place[a]);
    trni_put_u32(at + TRNI_VERTEX_HOST, page->vertices); /* so that no two are alike */
}

static inline void paged_put_triangle(paged_bytes *page, uint32_t *corner_end, uint32_t a, uint32_t b, uint32_t c) {
    uint8_t *at = page->parts[3] + *corner_end;
    at[0] = (uint8_t)a, at[1] = (uint8_t)b, at[2] = (uint8_t)c;
    *corner_end += 3;
}

/* Cluster number `cluster` along a level; UINT32_MAX: the tetrahedron. */
static inline void paged_put_cluster(const paged_plan *plan, paged_bytes *page, uint32_t level, uint32_t cluster,
                                     uint32_t vertex_base) {
    const paged_level *from = &plan->levels[level];
    uint32_t index = page->clusters++, sides = plan->def.sides;
    bool terminal = cluster == UINT32_MAX, no_own = level == 0, no_parent = terminal || from->groups == 0;
    uint32_t references = index ? page->reference_end[index - 1] : 0, corners = index ? page->corner_end[index - 1] : 0;
    uint32_t first_corner = corners, vertices = terminal ? 4 : 2 * sides;
    uint8_t *at = page->parts[1] + (size_t)index * TRNI_CLUSTER_ENTRY_SIZE;
    for (uint32_t v = 0; v < vertices; v++, references += 2) trni_put_u16(page->parts[2] + references, (uint16_t)v);
    float cull[4] = {(float)paged_coordinate(0, 70), (float)paged_coordinate(1, 1830), (float)paged_coordinate(2, 1030),
                     1};
    if (terminal) {
        static const uint8_t faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
        for (int t = 0; t < 4; t++) paged_put_triangle(page, &corners, faces[t][0], faces[t][1], faces[t][2]);
    } else {
        paged_tube_sphere(plan, from->rings[cluster], from->rings[cluster + 1], cull);
        for (uint32_t s = 0; s < sides; s++) {
            uint32_t next = (s + 1) % sides;
            paged_put_triangle(page, &corners, s, next, sides + next);
            paged_put_triangle(page, &corners, s, sides + next, sides + s);
        }
        for (uint32_t s = 1; s + 1 < sides && !plan->def.open; s++) {
            if (cluster == 0) paged_put_triangle(page, &corners, 0, s + 1, s);
            if (cluster + 1 == from->clusters) paged_put_triangle(page, &corners, sides, sides + s, sides + s + 1);
        }
    }
    uint32_t own = no_own ? 0 : from->own_group[cluster], parent = no_parent ? 0 : from->parent_group[cluster];
    uint32_t triangles = (corners - first_corner) / 3;
    uint32_t flags = (no_own ? TRN_CLUSTER_NO_OWN_GROUP : 0) | (no_parent ? TRN_CLUSTER_NO_PARENT_GROUP : 0);
    if (!no_own) paged_put_sphere(at + TRNI_CLUSTER_OWN_SPHERE, from[-1].spheres[own]);
    if (!no_parent) paged_put_sphere(at + TRNI_CLUSTER_PARENT_SPHERE, from->spheres[parent]);
    paged_put_sphere(at + TRNI_CLUSTER_CULL_SPHERE, cull);
    trni_put_f32(at + TRNI_CLUSTER_OWN_ERROR, no_own ? 0 : paged_error(level - 1, own));
    trni_put_f32(at + TRNI_CLUSTER_PARENT_ERROR, no_parent ? TRN_ERROR_WITHOUT_PARENT : paged_error(level, parent));
    trni_put_u32(at + TRNI_CLUSTER_CONE, 0x7f000000u);
    trni_put_u32(at + TRNI_CLUSTER_COUNTS, vertices | triangles << 8 | level << 16 | flags);
    trni_put_u32(at + TRNI_CLUSTER_MATERIAL, terminal);
    trni_put_u32(at + TRNI_CLUSTER_CHILD_PAGE,
                 no_own ? TRN_NO_PAGE : paged_page_of(plan, level - 1, from[-1].group_begin[own]));
    trni_put_u32(at + TRNI_CLUSTER_VERTEX_BASE, vertex_base);
    trni_put_u32(at + TRNI_CLUSTER_CLUSTER, index);
    trni_put_u32(at + TRNI_CLUSTER_OWN_GROUP, no_own ? UINT32_MAX : from[-1].first_group + own);
    trni_put_u32(at + TRNI_CLUSTER_PARENT_GROUP, no_parent ? UINT32_MAX : from->first_group + parent);
    page->reference_end[index] = references;
    page->corner_end[index] = corners;
    page->triangles += triangles;
}

static inline void paged_put_group(const paged_plan *plan, paged_bytes *page, uint32_t level, uint32_t group) {
    const paged_level *from = &plan->levels[level];
    uint8_t *at = page->parts[4] + (size_t)page->groups++ * TRNI_GROUP_SIZE;
    trni_put_f32(at + TRNI_GROUP_ERROR, paged_error(level, group));
    paged_put_sphere(at + TRNI_GROUP_SPHERE, from->spheres[group]);
    trni_put_u32(at + TRNI_GROUP_LEVEL, level);
    trni_put_u32(at + TRNI_GROUP_MEMBER_COUNT, from->group_begin[group + 1] - from->group_begin[group]);
    trni_put_u32(at + TRNI_GROUP_PRODUCT_COUNT, from->made_begin[group + 1] - from->made_begin[group]);
}

/* Page number `part` of a level. */
static inline void paged_fill(const paged_plan *plan, uint32_t number, uint32_t part, paged_bytes *page) {
    const paged_level *level = &plan->levels[number];
    uint32_t first_group = part * paged_page_groups(plan, number),
             end_group = first_group + paged_page_groups(plan, number);
    if (end_group > level->groups) end_group = level->groups;
    uint32_t first = level->groups ? level->group_begin[first_group] : 0;
    uint32_t end = level->groups ? level->group_begin[end_group] : level->clusters;
    uint16_t place[3];
    for (uint32_t ring = first; ring <= end; ring++)
        for (uint32_t side = 0; side < plan->def.sides; side++) {
            paged_vertex(plan, level->rings[ring], side, place);
            paged_put_vertex(page, place);
        }
    for (uint32_t c = first; c < end; c++) paged_put_cluster(plan, page, number, c, (c - first) * plan->def.sides);
    if (level->groups == 0 && plan->def.terminal) {
        paged_put_cluster(plan, page, 0, UINT32_MAX, page->vertices);
        for (uint32_t v = 0; v < 4; v++) {
            paged_terminal_vertex(v, place);
            paged_put_vertex(page, place);
        }
    }
    for (uint32_t g = first_group; g < end_group; g++) paged_put_group(plan, page, number, g);
}

/* ---- the file ---- */

typedef struct paged_file {
    uint8_t *pages, *dependencies, *chunks, *payload;
    size_t payload_bytes, payload_most;
    uint32_t page_count, chunk_count, chunk_most, dependency_count, group_count, cluster_count;
    uint64_t triangle_count, vertex_count;
} paged_file;

/* Appends one chunk of a page; its offset counts from the payload's start until that is known. */
static inline void paged_add_chunk(paged_file *file, const paged_bytes *page, uint32_t kind, uint32_t first,
                                   uint32_t count) {
    static const uint32_t sizes[] = {TRNI_VERTEX_SIZE, TRNI_CLUSTER_ENTRY_SIZE, TRNI_GROUP_SIZE};
    static const int parts[] = {0, 1, 4};
    size_t offset = (file->payload_bytes + 15) / 16 * 16, bytes = (size_t)count * sizes[kind];
    if (offset > file->payload_most / 2 || file->chunk_count == file->chunk_most) abort();
    uint8_t *to = file->payload + offset, *record = file->chunks + (size_t)file->chunk_count++ * TRNI_CHUNK_SIZE;
    memcpy(to, page->parts[parts[kind]] + (size_t)first * sizes[kind], bytes);
    for (int part = 2; part <= 3 && kind == TRN_CHUNK_CLUSTERS; part++) {
        const uint32_t *ends = part == 2 ? page->reference_end : page->corner_end;
        uint32_t begin = first ? ends[first - 1] : 0, length = ends[first + count - 1] - begin;
        memcpy(to + bytes, page->parts[part] + begin, length);
        bytes += length;
    }
    trni_put_u64(record + TRNI_CHUNK_OFFSET, offset);
    trni_put_u32(record + TRNI_CHUNK_STORED_BYTES, (uint32_t)bytes);
    trni_put_u32(record + TRNI_CHUNK_DECODED_BYTES, (uint32_t)bytes);
    trni_put_u32(record + TRNI_CHUNK_KIND, kind);
    trni_put_u32(record + TRNI_CHUNK_FIRST, first);
    trni_put_u32(record + TRNI_CHUNK_COUNT, count);
    file->payload_bytes = offset + bytes;
}

static inline void paged_add_page(paged_file *file, const paged_plan *plan, uint32_t number, uint32_t part) {
    const paged_level *level = &plan->levels[number];
    paged_bytes *page = paged_alloc(sizeof *page);
    static const size_t room[] = {TRNI_VERTEX_SIZE * 33, TRNI_CLUSTER_ENTRY_SIZE, 128, 384, TRNI_GROUP_SIZE};
    for (int i = 0; i < 5; i++) page->parts[i] = paged_alloc(room[i] * (level->clusters + 3));
    paged_fill(plan, number, part, page);
    uint8_t *at = file->pages + (size_t)(level->first_page + part) * TRNI_PAGE_SIZE;
    uint32_t first_chunk = file->chunk_count, first_dependency = file->dependency_count;
    const uint32_t counts[] = {page->vertices, page->clusters, page->groups};
    for (uint32_t kind = 0; kind < 3; kind++)
        for (uint32_t first = 0, count; first < counts[kind]; first += count) {
            count = counts[kind] - first;
            if (plan->def.chunk_elements && count > plan->def.chunk_elements) count = plan->def.chunk_elements;
            paged_add_chunk(file, page, kind, first, count);
        }
    uint32_t group = part * paged_page_groups(plan, number), last = UINT32_MAX;
    for (uint32_t c = level->made_begin[group]; page->groups && c < level->made_begin[group + page->groups]; c++) {
        uint32_t needed = paged_page_of(plan, number + 1, c); /* it holds what a group of this page made */
        if (needed != last) trni_put_u32(file->dependencies + 4 * (size_t)file->dependency_count++, needed);
        last = needed;
    }
    trni_put_u32(at + TRNI_PAGE_LEVEL, number);
    trni_put_u32(at + TRNI_PAGE_FIRST_CHUNK, first_chunk);
    trni_put_u32(at + TRNI_PAGE_CHUNK_COUNT, file->chunk_count - first_chunk);
    trni_put_u32(at + TRNI_PAGE_FIRST_DEPENDENCY, first_dependency);
    trni_put_u32(at + TRNI_PAGE_DEPENDENCY_COUNT, file->dependency_count - first_dependency);
    trni_put_u32(at + TRNI_PAGE_VERTEX_COUNT, page->vertices);
    trni_put_u32(at + TRNI_PAGE_CLUSTER_COUNT, page->clusters);
    trni_put_u32(at + TRNI_PAGE_TRIANGLE_COUNT, page->triangles);
    trni_put_u32(at + TRNI_PAGE_FIRST_GROUP, file->group_count);
    trni_put_u32(at + TRNI_PAGE_GROUP_COUNT, page->groups);
    file->group_count += page->groups, file->cluster_count += page->clusters;
    file->triangle_count += page->triangles, file->vertex_count += page->vertices;
    for (int i = 0; i < 5; i++) free(page->parts[i]);
    free(page);
}

/* Bounds of the model, its levels and its pages. */
static inline void paged_put_bounds(const paged_plan *plan, uint8_t *file) {
    const uint32_t top = plan->def.levels - 1;
    float model[4];
    paged_tube_sphere(plan, 0, plan->levels[0].clusters, model);
    for (uint32_t v = 0; v < 4; v++) { /* also without the tetrahedron: a sphere may be too large */
        uint16_t place[3];
        double at[3];
        paged_terminal_vertex(v, place);
        for (int a = 0; a < 3; a++) at[a] = paged_coordinate(a, place[a]);
        paged_enclose(model, at, 0);
    }
    paged_put_sphere(file + TRNI_HEAD_SPHERE, model);
    const uint32_t low[3] = {40, 400, 400}, high[3] = {40 + 50 * plan->levels[0].clusters, 1900, 1600};
    for (int a = 0; a < 3; a++) {
        trni_put_f32(file + TRNI_HEAD_BOX_MIN + 4 * a, (float)paged_coordinate(a, low[a]));
        trni_put_f32(file + TRNI_HEAD_BOX_MAX + 4 * a,
                     (float)paged_coordinate(a, a == 0 && high[0] < 100 ? 100 : high[a]));
    }
    for (uint32_t l = 0; l <= top; l++) {
        const paged_level *from = &plan->levels[l];
        float sphere[4], error = l == top ? TRN_ERROR_WITHOUT_PARENT : paged_error(l, from->groups - 1);
        memcpy(sphere, model, sizeof sphere);
        uint8_t *level = paged_model_level(file, l);
        for (uint32_t p = 0, groups = paged_page_groups(plan, l); p < from->pages; p++) {
            uint8_t *page = paged_model_page(file, from->first_page + p);
            float bounds[4], page_error = error; /* errors rise with the group's number */
            memcpy(bounds, model, sizeof bounds);
            for (uint32_t g = p * groups; g < (p + 1) * groups && g < from->groups; g++) {
                if (g == p * groups) memcpy(bounds, from->spheres[g], sizeof bounds);
                paged_enclose_sphere(bounds, from->spheres[g]);
                page_error = paged_error(l, g);
            }
            paged_enclose_sphere(sphere, bounds);
            paged_put_sphere(page + TRNI_PAGE_SPHERE, bounds);
            trni_put_f32(page + TRNI_PAGE_PARENT_ERROR, page_error);
        }
        trni_put_f32(level + TRNI_LEVEL_PARENT_ERROR, error);
        paged_put_sphere(level + TRNI_LEVEL_SPHERE, sphere);
        trni_put_u32(level + TRNI_LEVEL_FIRST_PAGE, from->first_page);
        trni_put_u32(level + TRNI_LEVEL_PAGE_COUNT, from->pages);
        trni_put_u32(level + TRNI_LEVEL_CLUSTER_COUNT, from->clusters + plan->def.terminal);
        uint64_t triangles = (uint64_t)from->clusters * 2 * plan->def.sides + (plan->def.terminal ? 4 : 0);
        trni_put_u64(level + TRNI_LEVEL_TRIANGLE_COUNT, triangles + (plan->def.open ? 0 : 2 * (plan->def.sides - 2)));
        trni_put_f32(level + TRNI_LEVEL_OWN_ERROR, l ? paged_error(l - 1, from[-1].groups - 1) : 0);
    }
}

/* Makes the file; free() it. Returns its size. `def` NULL: the defaults. */
static inline size_t paged_model_make(const paged_model_def *def, uint8_t **bytes) {
    paged_plan *plan = paged_alloc(sizeof *plan);
    paged_plan_make(plan, def);
    paged_file file = {.payload_most = 16u << 20, .page_count = plan->levels[0].first_page + plan->levels[0].pages};
    file.chunk_most = file.page_count * 8 + 16384;
    file.pages = paged_alloc((size_t)file.page_count * TRNI_PAGE_SIZE);
    file.dependencies = paged_alloc((size_t)file.page_count * PAGED_CLUSTERS * 4);
    file.chunks = paged_alloc((size_t)file.chunk_most * TRNI_CHUNK_SIZE);
    file.payload = paged_alloc(file.payload_most);
    for (uint32_t l = plan->def.levels; l-- > 0;)
        for (uint32_t p = 0; p < plan->levels[l].pages; p++) paged_add_page(&file, plan, l, p);

    static const char strings[] = "tube\0tetrahedron";
    const uint64_t sizes[] = {(uint64_t)plan->def.levels * TRNI_LEVEL_SIZE,
                              (uint64_t)file.page_count * TRNI_PAGE_SIZE,
                              (uint64_t)file.dependency_count * TRNI_DEPENDENCY_SIZE,
                              (uint64_t)file.chunk_count * TRNI_CHUNK_SIZE,
                              2 * TRNI_MATERIAL_SIZE,
                              sizeof strings};
    const uint8_t *tables[] = {NULL, file.pages, file.dependencies, file.chunks, NULL, (const uint8_t *)strings};
    uint64_t at = TRNI_HEAD_SIZE, head_bytes = TRNI_HEAD_SIZE;
    for (int t = 0; t < 6; t++) head_bytes += sizes[t];
    const size_t payload_at = (size_t)(head_bytes + 15) / 16 * 16, size = payload_at + file.payload_bytes;
    uint8_t *to = paged_alloc(size);
    for (uint32_t t = 0; t < 6; t++) {
        trni_put_u64(to + TRNI_HEAD_LEVEL_TABLE + 8 * (size_t)t, at);
        if (tables[t]) memcpy(to + at, tables[t], (size_t)sizes[t]);
        at += sizes[t];
    }
    uint8_t *materials = to + trni_get_u64(to + TRNI_HEAD_MATERIAL_TABLE);
    trni_put_u32(materials + TRNI_MATERIAL_NAME_BYTES, 4);
    trni_put_u32(materials + TRNI_MATERIAL_SIZE + TRNI_MATERIAL_NAME, 5);
    trni_put_u32(materials + TRNI_MATERIAL_SIZE + TRNI_MATERIAL_NAME_BYTES, 11);
    memcpy(to + payload_at, file.payload, file.payload_bytes);
    memcpy(to, TRNI_MODEL_MAGIC, 8);
    trni_put_u32(to + TRNI_HEAD_VERSION, TRNI_MODEL_VERSION);
    trni_put_u64(to + TRNI_HEAD_FILE_BYTES, size);
    trni_put_u64(to + TRNI_HEAD_HEAD_BYTES, head_bytes);
    for (int a = 0; a < 3; a++) trni_put_f64(to + TRNI_HEAD_GRID_ORIGIN + 8 * a, paged_coordinate(a, 0));
    trni_put_f32(to + TRNI_HEAD_GRID_STEP, PAGED_STEP);
    const uint32_t counts[] = {plan->def.levels, file.page_count,   file.chunk_count, file.dependency_count, 2,
                               file.group_count, file.cluster_count};
    for (size_t i = 0; i < 7; i++) trni_put_u32(to + TRNI_HEAD_LEVEL_COUNT + 4 * i, counts[i]);
    trni_put_u64(to + TRNI_HEAD_STORED_TRIANGLES, file.triangle_count);
    trni_put_u64(to + TRNI_HEAD_STORED_VERTICES, file.vertex_count);
    trni_put_u32(to + TRNI_HEAD_ERROR_RULE, TRN_ERROR_RULE_ADDITIVE);
    trni_put_u64(to + TRNI_HEAD_STRING_BYTES, sizeof strings);
    for (uint32_t c = 0; c < file.chunk_count; c++) {
        uint8_t *offset = paged_model_chunk(to, c) + TRNI_CHUNK_OFFSET;
        trni_put_u64(offset, trni_get_u64(offset) + payload_at);
    }
    paged_put_bounds(plan, to);
    trni_put_u64(to + TRNI_HEAD_SOURCE_TRIANGLES, trni_get_u64(paged_model_level(to, 0) + TRNI_LEVEL_TRIANGLE_COUNT));
    tiny_model_rehash(to, size);
    free(file.pages), free(file.dependencies), free(file.chunks), free(file.payload), free(plan);
    *bytes = to;
    return size;
}

#endif
