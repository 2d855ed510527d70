/* SPDX-License-Identifier: MIT */
/* Reads clusters and vertices out of mesh memory, and names the tests of the cut. GLSL 450 or later.
 *
 * Paste it after terrane_shared.h. Before it, define how a word is read; the two indices count 32-bit words from the start of
 * an arena, so that any kind of buffer will do:
 *
 *     layout(std430, binding = 0) readonly buffer Vertices { uint vertex_words[]; };
 *     layout(std430, binding = 1) readonly buffer Clusters { uint cluster_words[]; };
 *     #define TRN_VERTEX_WORD(index) vertex_words[index]
 *     #define TRN_CLUSTER_WORD(index) cluster_words[index]
 *
 * Terms: a slot is a cluster's place in the cluster arena, counted in clusters (page's cluster_base + number within the page).
 * A local vertex is one of a cluster's own, 0..63. A vertex index counts vertices from the start of the vertex arena. */
#ifndef TERRANE_GLSL
#define TERRANE_GLSL

/* ---- Clusters ---------------------------------------------------------------------------------------------------- */

vec4 trn_cluster_vec4(uint word) {
    return uintBitsToFloat(uvec4(TRN_CLUSTER_WORD(word), TRN_CLUSTER_WORD(word + 1u), TRN_CLUSTER_WORD(word + 2u),
                                 TRN_CLUSTER_WORD(word + 3u)));
}

trn_cluster_record trn_load_cluster(uint slot) {
    uint word = slot * uint(TRN_CLUSTER_WORDS);
    trn_cluster_record record;
    record.own_sphere = trn_cluster_vec4(word);
    record.parent_sphere = trn_cluster_vec4(word + 4u);
    record.cull_sphere = trn_cluster_vec4(word + 8u);
    record.own_error = uintBitsToFloat(TRN_CLUSTER_WORD(word + 12u));
    record.parent_error = uintBitsToFloat(TRN_CLUSTER_WORD(word + 13u));
    record.cone = TRN_CLUSTER_WORD(word + 14u);
    record.counts = TRN_CLUSTER_WORD(word + 15u);
    record.material = TRN_CLUSTER_WORD(word + 16u);
    record.child_page = TRN_CLUSTER_WORD(word + 17u);
    record.vertex_base = TRN_CLUSTER_WORD(word + 18u);
    record.cluster = TRN_CLUSTER_WORD(word + 19u);
    return record;
}

/* Single words, for stages that need no more. */
uint trn_cluster_counts(uint slot) { return TRN_CLUSTER_WORD(slot * uint(TRN_CLUSTER_WORDS) + 15u); }
uint trn_cluster_material(uint slot) { return TRN_CLUSTER_WORD(slot * uint(TRN_CLUSTER_WORDS) + 16u); }

uint trn_vertex_count(uint counts) { return counts & 255u; }
uint trn_triangle_count(uint counts) { return counts >> 8 & 255u; }
uint trn_level(uint counts) { return counts >> 16 & 255u; }

/* Local vertex at a corner, 0 <= corner < 3 * TRN_CLUSTER_TRIANGLES. Fill has three equal corners. */
uint trn_corner(uint slot, uint corner) {
    uint word = TRN_CLUSTER_WORD(slot * uint(TRN_CLUSTER_WORDS) + uint(TRN_CLUSTER_CORNER_WORD) + (corner >> 2));
    return word >> 8u * (corner & 3u) & 255u;
}

/* Vertex index of a local vertex. `vertex_base` is the sum of the page entry's and the record's. */
uint trn_vertex_index(uint slot, uint vertex_base, uint local_vertex) {
    uint word = TRN_CLUSTER_WORD(slot * uint(TRN_CLUSTER_WORDS) + uint(TRN_CLUSTER_REFERENCE_WORD) + (local_vertex >> 1));
    return vertex_base + (word >> 16u * (local_vertex & 1u) & 0xffffu);
}

/* ---- The cut (SPEC L3) ------------------------------------------------------------------------------------------- */

bool trn_refine(float error, vec4 sphere, vec3 eye, float pixels_per_error, float near_distance) {
    return trn_refine_test(error, sphere.x, sphere.y, sphere.z, sphere.w, eye.x, eye.y, eye.z, pixels_per_error,
                           near_distance);
}

/* A cluster is drawn when this holds and trn_wants_own_group does not, or the page record.child_page is not resident.
 * The page that refines the parent group is the cluster's own: resident, or nobody would ask. */
bool trn_wants_cluster(trn_cluster_record record, vec3 eye, float pixels_per_error, float near_distance) {
    if ((record.counts & TRN_CLUSTER_NO_PARENT_GROUP) != 0u) return true;
    return trn_refine(record.parent_error, record.parent_sphere, eye, pixels_per_error, near_distance);
}

/* Something finer than the cluster is wanted. */
bool trn_wants_own_group(trn_cluster_record record, vec3 eye, float pixels_per_error, float near_distance) {
    if ((record.counts & TRN_CLUSTER_NO_OWN_GROUP) != 0u) return false;
    return trn_refine(record.own_error, record.own_sphere, eye, pixels_per_error, near_distance);
}

/* All triangles face away from the eye (model units). Holds for perspective views only. */
bool trn_faces_away(trn_cluster_record record, vec3 eye) {
    vec4 cone = vec4(bitfieldExtract(int(record.cone), 0, 8), bitfieldExtract(int(record.cone), 8, 8),
                     bitfieldExtract(int(record.cone), 16, 8), bitfieldExtract(int(record.cone), 24, 8)) / 127.0;
    vec3 from_eye = record.cull_sphere.xyz - eye;
    return cone.w < 1.0 && dot(from_eye, cone.xyz) >= cone.w * length(from_eye) + record.cull_sphere.w;
}

/* ---- Vertices ---------------------------------------------------------------------------------------------------- */

/* A unit vector from two s16, octahedral. */
vec3 trn_unpack_octahedral(uint word) {
    vec2 p = unpackSnorm2x16(word);
    vec3 direction = vec3(p, 1.0 - abs(p.x) - abs(p.y));
    float fold = max(-direction.z, 0.0);
    direction.x += direction.x >= 0.0 ? -fold : fold;
    direction.y += direction.y >= 0.0 ? -fold : fold;
    return normalize(direction);
}

/* Model units. The grid is the model's (trn_model_info). Equal numbers give equal bits, whatever level they are in. */
vec3 trn_vertex_position(uint vertex, vec3 grid_origin, float grid_step) {
    uint word = vertex * uint(TRN_VERTEX_WORDS);
    uint xy = TRN_VERTEX_WORD(word);
    precise vec3 position = grid_origin + vec3(xy & 0xffffu, xy >> 16, TRN_VERTEX_WORD(word + 1u) & 0xffffu) * grid_step;
    return position;
}

vec3 trn_vertex_normal(uint vertex) {
    return trn_unpack_octahedral(TRN_VERTEX_WORD(vertex * uint(TRN_VERTEX_WORDS) + 2u));
}

/* xyz: direction, w: sign of the bitangent, cross(normal, tangent) * w. */
vec4 trn_vertex_tangent(uint vertex) {
    uint word = vertex * uint(TRN_VERTEX_WORDS);
    float sign_of_bitangent = (TRN_VERTEX_WORD(word + 1u) & 0x10000u) != 0u ? -1.0 : 1.0;
    return vec4(trn_unpack_octahedral(TRN_VERTEX_WORD(word + 3u)), sign_of_bitangent);
}

vec2 trn_vertex_uv0(uint vertex) { return unpackHalf2x16(TRN_VERTEX_WORD(vertex * uint(TRN_VERTEX_WORDS) + 4u)); }
vec2 trn_vertex_uv1(uint vertex) { return unpackHalf2x16(TRN_VERTEX_WORD(vertex * uint(TRN_VERTEX_WORDS) + 5u)); }
vec4 trn_vertex_color(uint vertex) { return unpackUnorm4x8(TRN_VERTEX_WORD(vertex * uint(TRN_VERTEX_WORDS) + 6u)); }
/* The four bytes that are the host's. */
uint trn_vertex_host(uint vertex) { return TRN_VERTEX_WORD(vertex * uint(TRN_VERTEX_WORDS) + 7u); }

#endif
