/* SPDX-License-Identifier: MIT */
/* What C and GLSL share: record layouts, constants, and the one test that decides which clusters are drawn.
 *
 * In C include it as any header. In GLSL (450 or later) paste it after the #version line; then define the buffers and
 * paste terrane.glsl, which reads and unpacks them. All records are std430: 4-byte words, no padding. */
#ifndef TERRANE_SHARED_H
#define TERRANE_SHARED_H

#if defined(__STDC__) || defined(__cplusplus)
#include "../base.h"
#define TRN_UINT uint32_t
#define TRN_VEC4(name) float name[4]
#else
#define TRN_GLSL 1
#define TRN_UINT uint
#define TRN_VEC4(name) vec4 name
#endif

/* A cluster's place in mesh memory has the same size for every cluster, so that a triangle knows its cluster:
 * cluster = triangle >> 7. Words: the record, 64 vertex references of 16 bits, 128 x 3 corners of 8 bits.
 * Unused triangles have three equal corners; unused references repeat the first. */
#define TRN_CLUSTER_TRIANGLES 128 /* triangle slots of a cluster */
#define TRN_CLUSTER_MAX_VERTICES 64
#define TRN_CLUSTER_MAX_TRIANGLES 126
#define TRN_CLUSTER_RECORD_WORDS 20
#define TRN_CLUSTER_REFERENCE_WORD 20 /* first word of the vertex references */
#define TRN_CLUSTER_CORNER_WORD 52    /* first word of the corners */
#define TRN_CLUSTER_WORDS 148
#define TRN_CLUSTER_BYTES 592
#define TRN_VERTEX_WORDS 8
#define TRN_VERTEX_BYTES 32

/* Bits of trn_cluster_record.counts: vertices 0-7, triangles 8-15, level that made it 16-23, flags 24-31. */
#define TRN_CLUSTER_TWO_SIDED 0x01000000u
#define TRN_CLUSTER_ALPHA_TESTED 0x02000000u
#define TRN_CLUSTER_NO_OWN_GROUP 0x04000000u    /* level 0: never too coarse */
#define TRN_CLUSTER_NO_PARENT_GROUP 0x08000000u /* nothing coarser exists */

#define TRN_NO_PAGE 0xffffffffu
#define TRN_PAGE_RESIDENT 1u /* trn_page_entry.state */

/* An error that no cluster has: stands for "nothing coarser exists" where a number is needed. */
#define TRN_ERROR_WITHOUT_PARENT 1.0e30f

/* One cluster, 80 bytes. Lengths are in model units. */
struct trn_cluster_record {
    TRN_VEC4(own_sphere);    /* center, radius of the group that made it; zero without one */
    TRN_VEC4(parent_sphere); /* of the group that replaces it; zero without one */
    TRN_VEC4(cull_sphere);   /* around its triangles */
    float own_error;         /* 0 without own group */
    float parent_error;      /* TRN_ERROR_WITHOUT_PARENT without parent group */
    TRN_UINT cone;           /* 4 x s8: axis, cutoff; cutoff 127: never culled by it (also every two-sided cluster) */
    TRN_UINT counts;
    TRN_UINT material;
    TRN_UINT child_page;  /* page, counted within the model, of the clusters its own group was made from; TRN_NO_PAGE */
    TRN_UINT vertex_base; /* added to its references; counted within the page */
    TRN_UINT cluster;     /* its number within the page */
};

/* Where a page lies in mesh memory; the page table has one for every page of every model. */
struct trn_page_entry {
    TRN_UINT vertex_base;  /* in vertices of TRN_VERTEX_BYTES */
    TRN_UINT cluster_base; /* in clusters of TRN_CLUSTER_BYTES */
    TRN_UINT cluster_count;
    TRN_UINT state; /* 0 or TRN_PAGE_RESIDENT */
};

#ifndef TRN_GLSL
typedef struct trn_cluster_record trn_cluster_record;
typedef struct trn_page_entry trn_page_entry;

/** True when a group's error is more than the threshold as seen from an eye, so that something finer is wanted.
 *
 * `error` and the sphere are the group's, in model units; the eye, `pixels_per_error` (K) and `near_distance` are of a
 * trn_draw. It means error * K > max(distance to the sphere, near), written without division or root so that every
 * device with IEEE addition and multiplication gives the same answer. Out of line on purpose: the host's compiler may
 * contract operations, this library's does not. */
TRN_API bool trn_refine_test(float error, float sphere_x, float sphere_y, float sphere_z, float sphere_radius,
                             float eye_x, float eye_y, float eye_z, float pixels_per_error, float near_distance);
#endif

#if defined(TRN_GLSL) || defined(TRN_SHARED_IMPLEMENTATION)
#ifdef TRN_GLSL
#define TRN_PRECISE precise
#else
#define TRN_PRECISE
#endif
bool trn_refine_test(float error, float sphere_x, float sphere_y, float sphere_z, float sphere_radius, float eye_x,
                     float eye_y, float eye_z, float pixels_per_error, float near_distance) {
    TRN_PRECISE float dx = eye_x - sphere_x;
    TRN_PRECISE float dy = eye_y - sphere_y;
    TRN_PRECISE float dz = eye_z - sphere_z;
    TRN_PRECISE float xx = dx * dx;
    TRN_PRECISE float yy = dy * dy;
    TRN_PRECISE float zz = dz * dz;
    TRN_PRECISE float xy = xx + yy;
    TRN_PRECISE float distance_squared = xy + zz;
    TRN_PRECISE float t = error * pixels_per_error;
    TRN_PRECISE float reach = t + sphere_radius;
    TRN_PRECISE float reach_squared = reach * reach;
    return t > near_distance && reach_squared > distance_squared;
}
#endif

#endif
