/* SPDX-License-Identifier: MIT */
/* Chunks: the check that makes hostile bytes harmless, and the form they take in mesh memory. */
#include "base/base_internal.h"
#include "base/little_endian.h"
#include "model_format.h"

#include <string.h>
#include <terrane/model.h>
#include <terrane/shader/terrane_shared.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static bool finite_float(float value) { return value - value == 0.0f; }

static uint32_t vertices_of(const unsigned char *entry) { return trni_get_u32(entry + TRNI_CLUSTER_COUNTS) & 0xff; }
static uint32_t triangles_of(const unsigned char *entry) {
    return trni_get_u32(entry + TRNI_CLUSTER_COUNTS) >> 8 & 0xff;
}

/* ---- check ---- */

static bool sphere_valid(const unsigned char *at) {
    for (int i = 0; i < 4; i++)
        if (!finite_float(trni_get_f32(at + 4 * i))) return false;
    return trni_get_f32(at + 12) >= 0.0f;
}

static bool sphere_zero(const unsigned char *at) {
    for (int i = 0; i < 4; i++)
        if (trni_get_u32(at + 4 * i) != 0) return false;
    return true;
}

/* One side of a cluster's stamps: with a group it has an error, without one the mark of its side and no sphere. */
static bool stamp_valid(float error, const unsigned char *sphere, uint32_t group, bool without, float mark) {
    if (without) return group == UINT32_MAX && error == mark && sphere_zero(sphere);
    return group != UINT32_MAX && error >= 0.0f && error < TRN_ERROR_WITHOUT_PARENT;
}

static const char *cluster_fault(const trn_model_chunk *chunk, uint32_t page_count, const unsigned char *entry,
                                 uint32_t index) {
    const uint32_t known =
        TRN_CLUSTER_TWO_SIDED | TRN_CLUSTER_ALPHA_TESTED | TRN_CLUSTER_NO_OWN_GROUP | TRN_CLUSTER_NO_PARENT_GROUP;
    uint32_t counts = trni_get_u32(entry + TRNI_CLUSTER_COUNTS), child = trni_get_u32(entry + TRNI_CLUSTER_CHILD_PAGE);
    uint32_t vertices = vertices_of(entry), triangles = triangles_of(entry);
    bool no_own = counts & TRN_CLUSTER_NO_OWN_GROUP, no_parent = counts & TRN_CLUSTER_NO_PARENT_GROUP;
    if (vertices < 1 || vertices > TRN_CLUSTER_MAX_VERTICES || triangles < 1 || triangles > TRN_CLUSTER_MAX_TRIANGLES)
        return "a cluster has too many or too few vertices or triangles";
    if ((counts & 0xff000000u) & ~known) return "a cluster has unknown flags";
    if (!sphere_valid(entry + TRNI_CLUSTER_OWN_SPHERE) || !sphere_valid(entry + TRNI_CLUSTER_PARENT_SPHERE) ||
        !sphere_valid(entry + TRNI_CLUSTER_CULL_SPHERE))
        return "a cluster's sphere is not one";
    if (!stamp_valid(trni_get_f32(entry + TRNI_CLUSTER_OWN_ERROR), entry + TRNI_CLUSTER_OWN_SPHERE,
                     trni_get_u32(entry + TRNI_CLUSTER_OWN_GROUP), no_own, 0.0f) ||
        !stamp_valid(trni_get_f32(entry + TRNI_CLUSTER_PARENT_ERROR), entry + TRNI_CLUSTER_PARENT_SPHERE,
                     trni_get_u32(entry + TRNI_CLUSTER_PARENT_GROUP), no_parent, TRN_ERROR_WITHOUT_PARENT))
        return "a cluster's stamps do not go with its flags";
    if (no_own ? child != TRN_NO_PAGE : child >= page_count || child <= chunk->page)
        return "a cluster's child page is not a finer one";
    if ((counts >> 16 & 0xff) > chunk->level) return "a cluster was made after the level it lies in";
    if (trni_get_u32(entry + TRNI_CLUSTER_CLUSTER) != chunk->first + index) return "a cluster has another's number";
    if (trni_get_u32(entry + TRNI_CLUSTER_VERTEX_BASE) >= chunk->page_vertex_count)
        return "a cluster's vertices are outside its page";
    return NULL;
}

/* Entries, then references, then corners; their sizes follow from the entries. */
static const char *clusters_fault(const trn_model_chunk *chunk, uint32_t page_count, const unsigned char *bytes) {
    uint64_t references = (uint64_t)chunk->count * TRNI_CLUSTER_ENTRY_SIZE, corners = references, end;
    if (references > chunk->decoded_bytes) return "the entries are cut off";
    for (uint32_t i = 0; i < chunk->count; i++) {
        const unsigned char *entry = bytes + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE;
        const char *fault = cluster_fault(chunk, page_count, entry, i);
        if (fault) return fault;
        corners += 2 * vertices_of(entry);
    }
    end = corners;
    for (uint32_t i = 0; i < chunk->count; i++) end += 3 * triangles_of(bytes + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE);
    if (end != chunk->decoded_bytes) return "the clusters do not fill the chunk";
    const unsigned char *reference = bytes + references, *corner = bytes + corners;
    for (uint32_t i = 0; i < chunk->count; i++) {
        const unsigned char *entry = bytes + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE;
        uint32_t room = chunk->page_vertex_count - trni_get_u32(entry + TRNI_CLUSTER_VERTEX_BASE);
        uint32_t vertices = vertices_of(entry);
        for (uint32_t v = 0; v < vertices; v++, reference += 2)
            if (trni_get_u16(reference) >= room) return "a vertex reference is outside its page";
        for (uint32_t c = 3 * triangles_of(entry); c > 0; c--)
            if (*corner++ >= vertices) return "a corner is outside its cluster";
    }
    return NULL;
}

static const char *groups_fault(const trn_model_chunk *chunk, const unsigned char *bytes) {
    for (uint32_t i = 0; i < chunk->count; i++) {
        const unsigned char *group = bytes + (size_t)i * TRNI_GROUP_SIZE;
        float error = trni_get_f32(group + TRNI_GROUP_ERROR);
        if (!(error >= 0.0f && error < TRN_ERROR_WITHOUT_PARENT) || !sphere_valid(group + TRNI_GROUP_SPHERE))
            return "a group's error or sphere is not one";
        if (trni_get_u32(group + TRNI_GROUP_LEVEL) != chunk->level) return "a group is of another level than its page";
        if (trni_get_u32(group + TRNI_GROUP_MEMBER_COUNT) < 1 || trni_get_u32(group + TRNI_GROUP_PRODUCT_COUNT) < 1)
            return "a group has no members or made nothing";
    }
    return NULL;
}

trn_result trn_chunk_check(const trn_model_chunk *chunk, uint32_t page_count, const void *bytes, size_t size,
                           trn_error *error) {
    if (!chunk || !bytes) return TRN_ERROR_ARGUMENT;
    unsigned long long place = chunk->offset;
    if (chunk->codec != 0)
        return trni_fail(error, TRN_ERROR_UNSUPPORTED, chunk->page, chunk->offset,
                         "byte %llu: codec %u is not known here", place, chunk->codec);
    if (size < chunk->stored_bytes)
        return trni_fail(error, TRN_ERROR_FORMAT, chunk->page, chunk->offset, "byte %llu: the chunk is cut off", place);
    if (XXH64(bytes, chunk->stored_bytes, 0) != chunk->hash)
        return trni_fail(error, TRN_ERROR_CHECKSUM, chunk->page, chunk->offset,
                         "byte %llu: a chunk does not match its checksum", place);
    const char *fault = NULL; /* every bit pattern is a vertex */
    if (chunk->kind == TRN_CHUNK_CLUSTERS) fault = clusters_fault(chunk, page_count, bytes);
    if (chunk->kind == TRN_CHUNK_GROUPS) fault = groups_fault(chunk, bytes);
    return fault ? trni_fail(error, TRN_ERROR_FORMAT, chunk->page, chunk->offset, "byte %llu: %s", place, fault)
                 : TRN_OK;
}

/* ---- placing ---- */

/* One cluster in its 592 bytes; written in order from first to last byte, never read back. */
static void place_cluster(const unsigned char *entry, const unsigned char *references, const unsigned char *corners,
                          unsigned char *to) {
    uint32_t vertices = vertices_of(entry), corner_count = 3 * triangles_of(entry);
    memcpy(to, entry, TRN_CLUSTER_RECORD_WORDS * 4);
    to += TRN_CLUSTER_RECORD_WORDS * 4;
    memcpy(to, references, 2 * vertices);
    for (uint32_t v = vertices; v < TRN_CLUSTER_MAX_VERTICES; v++) memcpy(to + 2 * v, references, 2);
    to += 2 * TRN_CLUSTER_MAX_VERTICES;
    memcpy(to, corners, corner_count);
    memset(to + corner_count, 0, 3 * TRN_CLUSTER_TRIANGLES - corner_count);
}

void trn_chunk_place(const trn_model_chunk *chunk, const void *decoded, uint32_t first, uint32_t count, void *to) {
    const unsigned char *bytes = decoded;
    if (chunk->kind == TRN_CHUNK_VERTICES)
        memcpy(to, bytes + (size_t)first * TRN_VERTEX_BYTES, (size_t)count * TRN_VERTEX_BYTES);
    if (chunk->kind != TRN_CHUNK_CLUSTERS) return;
    size_t reference = (size_t)chunk->count * TRNI_CLUSTER_ENTRY_SIZE, corner = reference;
    for (uint32_t i = 0; i < chunk->count; i++) corner += 2 * vertices_of(bytes + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE);
    for (uint32_t i = 0; i < first + count; i++) {
        const unsigned char *entry = bytes + (size_t)i * TRNI_CLUSTER_ENTRY_SIZE;
        if (i >= first)
            place_cluster(entry, bytes + reference, bytes + corner,
                          (unsigned char *)to + (size_t)(i - first) * TRN_CLUSTER_BYTES);
        reference += 2 * vertices_of(entry);
        corner += 3 * triangles_of(entry);
    }
}
