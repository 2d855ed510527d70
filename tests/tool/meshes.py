# SPDX-License-Identifier: MIT
"""Small meshes and readers for the tests of the tool."""
import gzip
import math
import os
import struct


def sphere(rings, segments, radius=1.0):
    """A closed sphere: vertices and counter-clockwise triangles."""
    vertices = [(0.0, radius, 0.0)]
    for r in range(1, rings):
        y, s = math.cos(math.pi * r / rings), math.sin(math.pi * r / rings)
        for k in range(segments):
            a = 2 * math.pi * k / segments
            vertices.append((radius * s * math.cos(a), radius * y, radius * s * math.sin(a)))
    vertices.append((0.0, -radius, 0.0))
    last = len(vertices) - 1
    at = lambda r, k: 1 + (r - 1) * segments + k % segments
    triangles = []
    for k in range(segments):
        triangles.append((0, at(1, k + 1), at(1, k)))
        triangles.append((last, at(rings - 1, k), at(rings - 1, k + 1)))
        for r in range(1, rings - 1):
            triangles.append((at(r, k), at(r, k + 1), at(r + 1, k)))
            triangles.append((at(r, k + 1), at(r + 1, k + 1), at(r + 1, k)))
    return vertices, triangles


def sheet(n):
    """An open square of n x n bumpy quads."""
    vertices = [(float(x), math.sin(x * 0.7) * math.cos(z * 0.9), float(z)) for z in range(n + 1) for x in range(n + 1)]
    triangles = []
    for z in range(n):
        for x in range(n):
            a = z * (n + 1) + x
            triangles += [(a, a + n + 1, a + 1), (a + 1, a + n + 1, a + n + 2)]
    return vertices, triangles


def write_obj(path, mesh, materials=()):
    vertices, triangles = mesh
    with open(path, "w") as f:
        f.writelines("v %.9g %.9g %.9g\n" % v for v in vertices)
        for i, t in enumerate(triangles):
            if materials and i % (len(triangles) // len(materials)) == 0 and i // (len(triangles) // len(materials)) < len(materials):
                f.write("usemtl %s\n" % materials[i // (len(triangles) // len(materials))])
            f.write("f %d %d %d\n" % tuple(c + 1 for c in t))
    return path


def write_ply(path, mesh, order="<"):
    """order: "<" or ">" for the binary forms, "" for text."""
    vertices, triangles = mesh
    name = {"<": "binary_little_endian", ">": "binary_big_endian", "": "ascii"}[order]
    header = ("ply\nformat %s 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
              "element face %d\nproperty list uchar int vertex_indices\nend_header\n") % (name, len(vertices), len(triangles))
    with open(path, "wb") as f:
        f.write(header.encode())
        if order:
            f.write(b"".join(struct.pack(order + "fff", *v) for v in vertices))
            f.write(b"".join(struct.pack(order + "B%di" % len(t), len(t), *t) for t in triangles))
        else:
            f.write("".join("%.9g %.9g %.9g\n" % v for v in vertices).encode())
            f.write("".join(" ".join(map(str, (len(t),) + tuple(t))) + "\n" for t in triangles).encode())
    return path


def write_off(path, mesh):
    vertices, triangles = mesh
    with open(path, "w") as f:
        f.write("OFF\n%d %d 0\n" % (len(vertices), len(triangles)))
        f.writelines("%.9g %.9g %.9g\n" % v for v in vertices)
        f.writelines("3 %d %d %d\n" % t for t in triangles)
    return path


def write_stl(path, mesh):
    vertices, triangles = mesh
    with open(path, "wb") as f:
        f.write(b"made by a test".ljust(80) + struct.pack("<I", len(triangles)))
        for t in triangles:
            f.write(struct.pack("<12fH", 0, 0, 1, *(x for c in t for x in vertices[c]), 0))
    return path


def write_gz(path):
    with open(path, "rb") as f, gzip.open(path + ".gz", "wb") as g:
        g.write(f.read())
    os.remove(path)
    return path + ".gz"


def read_cut(path):
    """The PLY of `terrane cut`, which has one form."""
    with open(path, "rb") as f:
        data = f.read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    lines = data[:end].decode().splitlines()
    assert lines[:2] == ["ply", "format binary_little_endian 1.0"], lines
    assert [l for l in lines if l.startswith("property")] == [
        "property double x", "property double y", "property double z", "property list uchar int vertex_indices"], lines
    counts = [int(l.split()[2]) for l in lines if l.startswith("element")]
    assert len(data) == end + 24 * counts[0] + 13 * counts[1], "size"
    vertices = [struct.unpack_from("<3d", data, end + 24 * i) for i in range(counts[0])]
    faces = [struct.unpack_from("<B3i", data, end + 24 * counts[0] + 13 * i) for i in range(counts[1])]
    assert all(f[0] == 3 and all(0 <= c < counts[0] for c in f[1:]) for f in faces)
    return vertices, [f[1:] for f in faces]


def unpaired_edges(triangles):
    """Directed edges whose reverse is not used as often."""
    count = {}
    for t in triangles:
        for k in range(3):
            a, b = t[k], t[(k + 1) % 3]
            count[(a, b)] = count.get((a, b), 0) + 1
    return [e for e in count if count[e] != count.get((e[1], e[0]), 0)]
