/* SPDX-License-Identifier: MIT */
/* LEVELS and BORDERS: surfaces by their edges. An edge that an even number of triangles has is closed, an odd one is open;
 * a surface is whole when nothing is open but the real border of the mesh. Edges are between welded grid positions, so
 * seams in attributes do not show.
 *
 * The border of a group is what is odd among its members; among its products it is the same, but for the real border,
 * which may move: edges that go were open in the members' whole level and no other group had them (three sheets that meet
 * in one edge also have it an odd number of times, and must stay together), and both ends of those that come were on it.
 * What comes is open in the products' level, or two real borders have moved onto each other. Counting odd and even has a
 * blind spot: two sheets of one group that together let go of an edge that a third, outside, keeps. */
#include "verify_internal.h"

typedef struct edge_text {
    double low[3], high[3];
} edge_text;

static edge_text edge_ends(const trn_model_data *data, uint64_t word) {
    edge_text text;
    for (int axis = 0; axis < 3; axis++) {
        text.low[axis] = data_coordinate(data, trni_edge_low(word), axis);
        text.high[axis] = data_coordinate(data, trni_edge_high(word), axis);
    }
    return text;
}

/* ---- LEVELS ---- */

/* The open edges of one level, in a set that just holds them. */
static trn_result find_odd(trni_verify *v, uint32_t level) {
    const trn_model_data *data = v->data;
    uint64_t triangles = 0, odd = 0;
    for (uint32_t c = 0; c < data->info.cluster_count; c++)
        if (trni_verify_in_level(&data->clusters[c], level)) triangles += data->clusters[c].triangle_count;
    if (!trni_edge_set_clear(&v->edges, &v->allocator, (size_t)triangles * 3)) return TRN_ERROR_OUT_OF_MEMORY;
    for (uint32_t c = 0; c < data->info.cluster_count; c++)
        if (trni_verify_in_level(&data->clusters[c], level)) trni_verify_toggle(v, &v->edges, c, TRNI_EDGE_ODD);
    size_t places = trni_edge_set_places(&v->edges);
    for (size_t i = 0; i < places; i++) odd += v->edges.words[i] >> 63;
    if (!trni_edge_set_clear(&v->odd[level], &v->allocator, (size_t)odd)) return TRN_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < places; i++)
        if (v->edges.words[i] & TRNI_EDGE_ODD) trni_edge_set_put(&v->odd[level], v->edges.words[i]);
    v->odd_count[level] = odd;
    return TRN_OK;
}

#define SHARED (UINT32_MAX - 1) /* an edge that several groups have, or a cluster that no group of the level replaces */

/* Finds which group has each open edge of a level alone. */
static trn_result find_owners(trni_verify *v, uint32_t level) {
    const trn_model_data *data = v->data;
    const trni_edge_set *odd = &v->odd[level];
    uint32_t *owner = v->odd_owner[level] = trni_alloc(&v->allocator, trni_edge_set_places(odd), sizeof *owner);
    if (!owner) return TRN_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < trni_edge_set_places(odd); i++) owner[i] = TRNI_NO_GROUP;
    for (uint32_t c = 0; v->odd_count[level] != 0 && c < data->info.cluster_count; c++) {
        const data_cluster *cluster = &data->clusters[c];
        if (!trni_verify_in_level(cluster, level)) continue;
        uint32_t group =
            cluster->stored == level && cluster->parent_group != TRNI_NO_GROUP ? cluster->parent_group : SHARED;
        const uint32_t *corner = data->corners + 3 * (size_t)cluster->first_triangle;
        for (uint32_t i = 0; i < 3 * cluster->triangle_count; i++) {
            uint32_t a = corner[i], b = corner[i % 3 == 2 ? i - 2 : i + 1];
            const uint64_t *word = trni_edge_set_find(odd, trni_edge_word(a, b));
            if (a == b || *word == 0) continue;
            uint32_t *of = &owner[word - odd->words];
            *of = *of == TRNI_NO_GROUP || *of == group ? group : SHARED;
        }
    }
    return TRN_OK;
}

trn_result trni_verify_levels(trni_verify *v) {
    for (uint32_t l = 0; l < v->data->info.level_count; l++) {
        trn_result result = find_odd(v, l);
        if (result == TRN_OK) result = find_owners(v, l);
        if (result != TRN_OK) return result;
        if (v->odd_count[0] == 0 && v->odd_count[l] != 0)
            trni_verify_fail(v, TRNI_PROOF_LEVELS, "level %u has %llu open edges, level 0 has none", l,
                             (unsigned long long)v->odd_count[l]);
        if (!trni_verify_progress(v, "levels", 0.1 + 0.2 * (l + 1) / v->data->info.level_count))
            return TRN_ERROR_CANCELLED;
    }
    v->report->open_edges = v->odd_count[0];
    return TRN_OK;
}

/* ---- BORDERS ---- */

/* In the set of a group: odd among its members, marked: odd among its products. */
#define MEMBERS TRNI_EDGE_ODD
#define PRODUCTS TRNI_EDGE_MARK

static trn_result fill_group(trni_verify *v, uint32_t g) {
    const data_cluster *clusters = v->data->clusters;
    size_t triangles = 0;
    for (uint32_t i = v->member_first[g]; i < v->member_first[g + 1]; i++)
        triangles += clusters[v->members[i]].triangle_count;
    for (uint32_t i = v->product_first[g]; i < v->product_first[g + 1]; i++)
        triangles += clusters[v->products[i]].triangle_count;
    if (!trni_edge_set_clear(&v->edges, &v->allocator, triangles * 3)) return TRN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = v->member_first[g]; i < v->member_first[g + 1]; i++)
        trni_verify_toggle(v, &v->edges, v->members[i], MEMBERS);
    for (uint32_t i = v->product_first[g]; i < v->product_first[g + 1]; i++)
        trni_verify_toggle(v, &v->edges, v->products[i], PRODUCTS);
    return TRN_OK;
}

static bool is_odd(const trni_verify *v, uint32_t level, uint64_t word) {
    return level < v->data->info.level_count && *trni_edge_set_find(&v->odd[level], word) != 0;
}

/* The ends of the real border that the members of the group in verify->edges have. */
static trn_result find_rim(trni_verify *v, uint32_t level) {
    size_t count = 0;
    for (size_t i = 0; i < trni_edge_set_places(&v->edges); i++) count += v->edges.words[i] >> 63;
    if (!trni_edge_set_clear(&v->rim, &v->allocator, 2 * count)) return TRN_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < trni_edge_set_places(&v->edges); i++) {
        uint64_t word = v->edges.words[i];
        uint32_t low = trni_edge_low(word), high = trni_edge_high(word);
        if (!(word & MEMBERS) || !is_odd(v, level, word)) continue;
        trni_edge_set_put(&v->rim, trni_edge_word(low, low));
        trni_edge_set_put(&v->rim, trni_edge_word(high, high));
    }
    return TRN_OK;
}

static bool on_rim(const trni_verify *v, uint32_t position) {
    return *trni_edge_set_find(&v->rim, trni_edge_word(position, position)) != 0;
}

/* Whether an edge that a group has on one side only is of the real border. */
static trn_result border_moves(trni_verify *v, uint32_t g, uint64_t word, bool *moves) {
    uint32_t level = v->data->groups[g].level;
    *moves = false;
    if (word & MEMBERS) {
        const uint64_t *at = trni_edge_set_find(&v->odd[level], word);
        *moves = *at != 0 && v->odd_owner[level][at - v->odd[level].words] == g;
        return TRN_OK;
    }
    if (!on_rim(v, trni_edge_low(word)) || !on_rim(v, trni_edge_high(word))) return TRN_OK;
    *moves = true;
    if (is_odd(v, level + 1, word)) {
        *trni_edge_set_find(&v->odd[level + 1], word) |= TRNI_EDGE_MARK;
        return TRN_OK;
    }
    void *list = v->met_list;
    bool room = v->met_count < v->met_capacity ||
                trni_grow(&v->allocator, &list, &v->met_capacity, v->met_count + 1, sizeof *v->met_list);
    v->met_list = list;
    if (!room) return TRN_ERROR_OUT_OF_MEMORY;
    v->met_list[v->met_count++] = word & ~(MEMBERS | PRODUCTS);
    return TRN_OK;
}

static trn_result check_border(trni_verify *v, uint32_t g) {
    uint32_t level = v->data->groups[g].level;
    bool have_rim = false;
    for (size_t i = 0; i < trni_edge_set_places(&v->edges); i++) {
        uint64_t word = v->edges.words[i];
        if (!(word & MEMBERS) == !(word & PRODUCTS)) continue;
        trn_result result = have_rim ? TRN_OK : find_rim(v, level);
        bool moves;
        have_rim = true;
        if (result == TRN_OK) result = border_moves(v, g, word, &moves);
        if (result != TRN_OK) return result;
        if (moves) continue;
        edge_text ends = edge_ends(v->data, word);
        trni_verify_fail(
            v, TRNI_PROOF_BORDERS,
            "group %u of level %u: edge (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g) of its border is only in its %s", g,
            level, ends.low[0], ends.low[1], ends.low[2], ends.high[0], ends.high[1], ends.high[2],
            word & MEMBERS ? "members" : "products");
    }
    return TRN_OK;
}

/* What is open in a level was open in the level before, or a group made it there. */
static void check_new_edges(trni_verify *v, uint32_t level) {
    const trni_edge_set *set = &v->odd[level];
    for (size_t i = 0; i < trni_edge_set_places(set); i++) {
        uint64_t word = set->words[i];
        if (word == 0 || (word & TRNI_EDGE_MARK) || is_odd(v, level - 1, word)) continue;
        edge_text ends = edge_ends(v->data, word);
        trni_verify_fail(v, TRNI_PROOF_LEVELS,
                         "level %u: edge (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g) is open, in level %u it is not",
                         level, ends.low[0], ends.low[1], ends.low[2], ends.high[0], ends.high[1], ends.high[2],
                         level - 1);
        return;
    }
}

trn_result trni_verify_borders(trni_verify *v) {
    for (uint32_t g = 0; g < v->data->info.group_count; g++) {
        trn_result result = fill_group(v, g);
        if (result == TRN_OK) result = check_border(v, g);
        if (result != TRN_OK) return result;
        if (g % 64 == 0 && !trni_verify_progress(v, "borders", 0.3 + 0.2 * g / v->data->info.group_count))
            return TRN_ERROR_CANCELLED;
    }
    for (uint32_t l = 1; l < v->data->info.level_count; l++) check_new_edges(v, l);
    if (!trni_edge_set_clear(&v->met, &v->allocator, v->met_count)) return TRN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < v->met_count; i++) trni_edge_set_put(&v->met, v->met_list[i]);
    return TRN_OK;
}
