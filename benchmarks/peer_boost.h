/* SPDX-License-Identifier: MIT */
/* Boost.Geometry's R-tree behind C functions: the rstar strategy with 16 boxes a node, packed from a range (bulk load). */
#ifndef PEER_BOOST_H
#define PEER_BOOST_H

#include <terrane/math_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Boxes and ids as Boost takes them; made before any clock runs. Floats: the scenes' coordinates are exact in them. */
typedef struct peer_boost_boxes peer_boost_boxes;
typedef struct peer_boost_tree peer_boost_tree;

peer_boost_boxes *peer_boost_boxes_make(const trn_world_box *boxes, uint32_t count);
void peer_boost_boxes_free(peer_boost_boxes *boxes);
peer_boost_tree *peer_boost_build(const peer_boost_boxes *boxes);
void peer_boost_free(peer_boost_tree *tree);
/* The sphere's box by the tree, then the exact distance of each box it reports. `ids` has room for all. */
uint32_t peer_boost_sphere(const peer_boost_tree *tree, const double center[3], double radius, uint32_t *ids);

#ifdef __cplusplus
}
#endif

#endif
