/* SPDX-License-Identifier: MIT */
/* Cut, pass 2: a workgroup a (draw, page) pair, a thread a cluster. Decides what is drawn (SPEC L3) and reserves its indices. */
layout(local_size_x = 64) in;

bool own_group_replaces(trn_cluster_record record, uint d) {
    if (!trn_wants_own_group(record, draws[d].eye, draws[d].pixels_per_error, draws[d].near_distance)) return false;
    return record.child_page < draws[d].page_count &&
           (pages[draws[d].first_page + record.child_page].state & TRN_PAGE_RESIDENT) != 0u;
}

void main() {
    uint pair_count = min(page_pair_count, page_pair_capacity);
    for (uint pair = gl_WorkGroupID.x; pair < pair_count; pair += gl_NumWorkGroups.x) {
        uint d = page_pairs[pair].x;
        trn_page_entry page = pages[page_pairs[pair].y];
        mat4 matrix = draws[d].matrix;
        vec3 eye = draws[d].eye;
        float scale = length(matrix[0].xyz);
        vec4 model_planes[5]; /* planes in model units, their normals as long as the scale */
        for (int i = 0; i < 5; i++) model_planes[i] = planes[i] * matrix;

        for (uint c = gl_LocalInvocationID.x; c < page.cluster_count; c += 64u) {
            uint slot = page.cluster_base + c;
            trn_cluster_record record = trn_load_cluster(slot);
            if (!trn_wants_cluster(record, eye, draws[d].pixels_per_error, draws[d].near_distance)) continue;
            if (own_group_replaces(record, d)) continue;
            if (cull != 0u) {
                bool culled = trn_faces_away(record, eye);
                for (int i = 0; i < 5; i++)
                    culled = culled || outside(model_planes[i], record.cull_sphere.xyz, record.cull_sphere.w, scale);
                if (culled) continue;
            }

            uint count = 3u * trn_triangle_count(record.counts);
            uint index = atomicAdd(clusters_wanted, 1u);
            atomicAdd(indices_wanted, count);
            bool two = (record.counts & TRN_CLUSTER_TWO_SIDED) != 0u;
            uint first_index = two ? index_capacity - 1u - atomicAdd(two_sided.count, count) : atomicAdd(one_sided.count, count);
            if (index < cluster_capacity)
                visible[index] = VisibleCluster(d, slot, page.vertex_base + record.vertex_base, first_index);
        }
    }
}
