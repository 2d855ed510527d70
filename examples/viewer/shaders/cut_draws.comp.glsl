/* SPDX-License-Identifier: MIT */
/* Cut, pass 1: a thread a draw. Draws outside the frustum end here; of the others, each resident page is listed. */
layout(local_size_x = 64) in;

void main() {
    for (uint d = gl_GlobalInvocationID.x; d < draw_count; d += gl_NumWorkGroups.x * 64u) {
        mat4 matrix = draws[d].matrix;
        vec3 center = (matrix * vec4(draws[d].sphere.xyz, 1.0)).xyz;
        float scale = length(matrix[0].xyz);
        bool culled = false;
        for (int i = 0; i < 5; i++) culled = culled || outside(planes[i], center, draws[d].sphere.w, scale);
        if (cull != 0u && culled) continue;

        atomicAdd(draws_seen, 1u);
        for (uint i = 0u; i < draws[d].page_count; i++) {
            uint page = draws[d].first_page + i;
            if ((pages[page].state & TRN_PAGE_RESIDENT) == 0u) continue;
            uint pair = atomicAdd(page_pair_count, 1u); /* capacity: the sum of all page counts */
            page_pairs[pair] = uvec2(d, page);
        }
    }
}
