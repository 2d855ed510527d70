/* SPDX-License-Identifier: MIT */
/* Cut, pass 3: a workgroup a visible cluster, a thread a triangle. An index is visible cluster x 64 + local vertex, so that
 * each vertex of a cluster is shaded once and fill costs nothing. */
layout(local_size_x = 64) in;

void main() {
    if (clusters_wanted > cluster_capacity || indices_wanted > index_capacity) return; /* the host makes room and repeats */
    if (gl_GlobalInvocationID.x == 0u) two_sided.first_index = index_capacity - two_sided.count;

    for (uint i = gl_WorkGroupID.x; i < clusters_wanted; i += gl_NumWorkGroups.x) {
        VisibleCluster cluster = visible[i];
        uint counts = trn_cluster_counts(cluster.slot);
        bool two = (counts & TRN_CLUSTER_TWO_SIDED) != 0u;
        /* A mirroring matrix turns triangles around; written backwards they turn again. */
        bool backwards = determinant(mat3(draws[cluster.draw].matrix)) < 0.0;
        for (uint t = gl_LocalInvocationID.x; t < trn_triangle_count(counts); t += 64u) {
            for (uint k = 0u; k < 3u; k++) {
                uint corner = trn_corner(cluster.slot, 3u * t + (backwards != two ? 2u - k : k));
                uint at = 3u * t + k;
                indices[two ? cluster.first_index - at : cluster.first_index + at] = i << 6 | corner;
            }
        }
    }
}
