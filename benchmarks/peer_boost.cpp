/* SPDX-License-Identifier: MIT */
#define BOOST_ALLOW_DEPRECATED_HEADERS /* its own; it only says so */
#include "peer_boost.h"

#include <utility>
#include <vector>

#include <boost/geometry.hpp>
#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

using Point = bg::model::point<float, 3, bg::cs::cartesian>;
using Box = bg::model::box<Point>;
using Value = std::pair<Box, uint32_t>;

struct peer_boost_boxes {
    std::vector<Value> values;
};

struct peer_boost_tree {
    explicit peer_boost_tree(const std::vector<Value> &values) : tree(values.begin(), values.end()) {}
    bgi::rtree<Value, bgi::rstar<16>> tree;
};

static Point point(const double at[3]) {
    return Point(static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2]));
}

peer_boost_boxes *peer_boost_boxes_make(const trn_world_box *boxes, uint32_t count) {
    auto *made = new peer_boost_boxes;
    for (uint32_t i = 0; i < count; i++) made->values.emplace_back(Box(point(boxes[i].min), point(boxes[i].max)), i);
    return made;
}

void peer_boost_boxes_free(peer_boost_boxes *boxes) { delete boxes; }

peer_boost_tree *peer_boost_build(const peer_boost_boxes *boxes) { return new peer_boost_tree(boxes->values); }

void peer_boost_free(peer_boost_tree *tree) { delete tree; }

static double interval(double at, double min, double max) {
    double below = min - at, above = at - max;
    double distance = below > above ? below : above;
    return distance > 0 ? distance : 0;
}

uint32_t peer_boost_sphere(const peer_boost_tree *tree, const double center[3], double radius, uint32_t *ids) {
    const double low[3] = {center[0] - radius, center[1] - radius, center[2] - radius};
    const double high[3] = {center[0] + radius, center[1] + radius, center[2] + radius};
    const double radius_squared = radius * radius;
    uint32_t found = 0;
    auto take = [&](const Value &value) {
        const Box &box = value.first;
        double x = interval(center[0], box.min_corner().get<0>(), box.max_corner().get<0>());
        double y = interval(center[1], box.min_corner().get<1>(), box.max_corner().get<1>());
        double z = interval(center[2], box.min_corner().get<2>(), box.max_corner().get<2>());
        if (x * x + y * y + z * z <= radius_squared) ids[found++] = value.second;
    };
    tree->tree.query(bgi::intersects(Box(point(low), point(high))), boost::make_function_output_iterator(take));
    return found;
}
