#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that includes follow the dependency order of the modules.

    base <- bvh, pop, model <- region, space, lod, stream <- world <- record

A module includes itself, modules of lower layers, and neighbours in its own layer as long as those do not include it in
turn. cook and host include public headers, themselves, src/base and src/model/model_format.h. First the check proves on
made-up trees that it sees violations."""
import os
import re
import sys
import tempfile

LAYERS = [["base"], ["bvh", "pop", "model"], ["region", "space", "lod", "stream"], ["world"], ["record"]]
LAYER = {module: layer for layer, modules in enumerate(LAYERS) for module in modules}
# The types of frames and events that the layer below the world reads and fills.
TYPES_ONLY = "include/terrane/world.h"
# Public headers that do not carry their module's name.
HEADER_MODULE = {"version": "base", "id": "base", "math_types": "base", "portal": "space"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def module_of(path):
    """(side, module) of a path below the root; side is public, src, or None for a file that no rule is about."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return "src", parts[1]
    if path.startswith("include/terrane/") and path.endswith(".h"):
        name = path[len("include/terrane/"):-len(".h")]
        return "public", "base" if name.startswith("shader/") else HEADER_MODULE.get(name, name)
    if path.startswith(("include/terrane_cook/", "include/terrane_host/")):
        return "public", parts[1].removeprefix("terrane_")
    return None, None


def resolve(root, source, kind, name):
    """The path below the root that an include means, or None for a header of the system."""
    places = [os.path.dirname(source)] if kind == '"' else []
    for place in places + ["src", "include"]:
        path = os.path.normpath(os.path.join(place, name))
        if os.path.isfile(os.path.join(root, path)):
            return path
    return None


def allowed(source, target):
    side, module = module_of(source)
    target_side, target_module = module_of(target)
    if module is None or target_module is None or module == target_module:
        return True
    if target == "include/terrane/terrane.h":
        return side == "src" and module in ("cook", "host")
    if source == "include/terrane/terrane.h":
        return target_module in LAYER
    if module in ("cook", "host"):
        if target_module in ("cook", "host"):
            return False
        return target_side == "public" or target_module == "base" or target == "src/model/model_format.h"
    if module not in LAYER or target_module not in LAYER:
        return False
    if target == TYPES_ONLY and side == "src":
        return LAYER[module] >= LAYER["region"]
    return LAYER[target_module] <= LAYER[module]


def neighbours_in_circles(edges):
    """Modules of one layer that include each other, directly or through others."""
    reach = {module: {b for a, b in edges if a == module} for module in LAYER}
    for middle in LAYER:
        for module in LAYER:
            if middle in reach[module]:
                reach[module] |= reach[middle]
    return sorted(module for module in LAYER if module in reach[module])


def violations(root):
    found, seen, edges = [], 0, set()
    for top in ("src", "include"):
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(names):
                if not name.endswith((".c", ".h", ".inl", ".cpp")):
                    continue
                source = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(root, source), encoding="utf-8") as file:
                    text = file.read()
                for match in INCLUDE.finditer(text):
                    seen += 1
                    target = resolve(root, source, *match.groups())
                    if not target:
                        continue
                    module, target_module = module_of(source)[1], module_of(target)[1]
                    if module != target_module and module in LAYER and LAYER[module] == LAYER.get(target_module):
                        edges.add((module, target_module))
                    if not allowed(source, target):
                        line = text.count("\n", 0, match.start(2)) + 1
                        found.append(f"{source}:{line}: {module} must not include {target}")
    circle = neighbours_in_circles(edges)
    if circle:
        found.append("these include each other in a circle: " + ", ".join(circle))
    return found, seen


def self_test():
    files = {
        "include/terrane/terrane.h": '#include "world.h"\n',
        "include/terrane/base.h": "",
        "include/terrane/bvh.h": '#include "base.h"\n',
        "include/terrane/model.h": "",
        "include/terrane/world.h": '#include "base.h"\n',
        "include/terrane_cook/cook.h": "#include <terrane/base.h>\n",
        "src/base/b.h": "",
        "src/model/model_format.h": "",
        "src/model/m.h": "",
        "src/lod/l.h": "",
        "src/world/w.h": "",
        "src/region/r.h": '#include "lod/l.h"\n',
        "src/region/r.c": '#include "base/b.h"\n#include <terrane/bvh.h>\n#include <stdio.h>\n',
        "src/stream/s.c": '#include "../base/b.h"\n#include <terrane/world.h>\n',
        "src/cook/c.c": '#include "model/model_format.h"\n#include <terrane/terrane.h>\n#include "base/b.h"\n',
    }
    wrong = [
        ("src/base/b.h", "#include <terrane/bvh.h>"),
        ("src/lod/l.h", '#include "../region/r.h"'),
        ("src/model/m.h", "#  include <terrane/world.h>"),
        ("src/stream/s.c", '#include "world/w.h"'),
        ("src/base/b.h", '#include "../lod/l.h"'),
        ("src/lod/l.h", "#include <terrane/terrane.h>"),
        ("src/cook/c.c", '#include "model/m.h"'),
        ("src/model/m.h", "#include <terrane_cook/cook.h>"),
        ("include/terrane/bvh.h", '#include "world.h"'),
    ]
    for seeded in [None] + wrong:
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                if seeded and path == seeded[0]:
                    text += seeded[1] + "\n"
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            found, _ = violations(root)
        if len(found) != (1 if seeded else 0):
            sys.exit(f"deps_order: the check itself is wrong: {seeded} gave {found}")


def main():
    self_test()
    found, seen = violations(sys.argv[1])
    print("\n".join(found + [f"{seen} includes, {len(found)} against the order"]))
    sys.exit(1 if found or not seen else 0)


main()
