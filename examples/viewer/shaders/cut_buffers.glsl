/* SPDX-License-Identifier: MIT */
/* What the three passes of the cut hand on. The first words are two draw-elements-indirect commands. */

struct DrawCommand {
    uint count;
    uint instance_count;
    uint first_index;
    int base_vertex;
    uint base_instance;
};

layout(std430, binding = 5) buffer Cut {
    DrawCommand one_sided; /* indices from the start of the index buffer upward */
    DrawCommand two_sided; /* indices from its end downward */
    uint page_pair_count;
    uint draws_seen;       /* draws inside the frustum */
    uint clusters_wanted;  /* visible, whether or not there was room */
    uint indices_wanted;
};
layout(std430, binding = 6) buffer PagePairs { uvec2 page_pairs[]; }; /* draw, entry of the page table */
layout(std430, binding = 7) buffer VisibleClusters { VisibleCluster visible[]; };
layout(std430, binding = 8) writeonly buffer Indices { uint indices[]; };

/* A sphere given in the frame of `planes` by planes scaled with the same length; a hair is left for rounding. */
bool outside(vec4 plane, vec3 center, float radius, float scale) {
    return dot(plane.xyz, center) + plane.w < -radius * scale * 1.0001;
}
