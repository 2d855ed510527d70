/* SPDX-License-Identifier: MIT */
/* The shader files, as text in the program (made at build time by embed.cmake). */
#ifndef VIEWER_EMBEDDED_H
#define VIEWER_EMBEDDED_H

extern const char embedded_terrane_shared_h[];
extern const char embedded_terrane_glsl[];
extern const char embedded_scene_buffers_glsl[];
extern const char embedded_cut_buffers_glsl[];
extern const char embedded_atmosphere_glsl[];
extern const char embedded_cut_draws_comp_glsl[];
extern const char embedded_cut_clusters_comp_glsl[];
extern const char embedded_cut_indices_comp_glsl[];
extern const char embedded_mesh_vert_glsl[];
extern const char embedded_mesh_frag_glsl[];
extern const char embedded_fullscreen_vert_glsl[];
extern const char embedded_composite_frag_glsl[];

#endif
