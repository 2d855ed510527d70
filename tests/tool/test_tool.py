# SPDX-License-Identifier: MIT
"""The command line tool from outside: test_tool.py TOOL SCRATCH CLASS"""
import gzip
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

import meshes

TOOL, SCRATCH = sys.argv[1], sys.argv[2]
DONE, NO, USAGE, BAD_INPUT, IO = 0, 1, 2, 3, 4


class ToolTest(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.join(SCRATCH, self.id().split(".")[-1])
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def run_tool(self, *words, want=DONE, **more):
        done = subprocess.run([TOOL, *map(str, words)], capture_output=True, timeout=300, **more)
        said = "%s\n%s\n%s" % (words, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
        self.assertEqual(done.returncode, want, said)
        if want > NO:
            self.assertEqual(done.stdout, b"", said)
            self.assertEqual(done.stderr.count(b"\n"), 1, said)
            self.assertTrue(done.stderr.startswith(b"terrane: "), said)
        else:
            self.assertEqual(done.stderr, b"", said)
        return done.stdout.decode() if want <= NO else done.stderr.decode()

    def run_json(self, *words, want=DONE):
        out = self.run_tool(*words, "--json", want=want)
        self.assertEqual(out.count("\n"), 1)
        return json.loads(out)

    def assert_only(self, *names):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))

    def sphere_model(self, rings=24, segments=48, *options):
        source = meshes.write_obj(self.path("sphere.obj"), meshes.sphere(rings, segments))
        self.run_tool("cook", source, "-o", self.path("sphere.trn"), "--levels", "auto", *options)
        return self.path("sphere.trn")


class usage(ToolTest):
    def test_no_arguments_show_the_usage_on_stderr(self):
        done = subprocess.run([TOOL], capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (USAGE, b""))
        self.assertIn(b"usage: terrane", done.stderr)

    def test_help_is_on_stdout(self):
        self.assertIn("usage: terrane", self.run_tool("help"))
        for name in ("cook", "info", "verify", "cut", "version"):
            self.assertIn("usage: terrane " + name, self.run_tool(name, "--help"))
            self.assertIn("usage: terrane " + name, self.run_tool("help", name))

    def test_version_names_all_parts(self):
        self.assertIn("meshoptimizer", self.run_tool("version"))
        self.assertEqual(sorted(self.run_json("version")), ["assimp", "meshoptimizer", "terrane"])

    def test_wrong_words_are_usage_errors(self):
        self.text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        a, o = self.path("a.obj"), self.path("o.trn")
        for words in (["frobnicate"], ["cook"], ["cook", a], ["cook", "-o", o], ["cook", a, "-o"], ["cook", a, a, "-o", o],
                      ["cook", a, "-o", o, "--nope"], ["cook", a, "-o", o, "-o", o], ["cook", a, "-o", o, "--json=1"],
                      ["cook", a, "-o", o, "--levels", "0"], ["cook", a, "-o", o, "--levels", "65"],
                      ["cook", a, "-o", o, "--levels", "two"], ["cook", a, "-o", o, "--group", "1"],
                      ["cook", a, "-o", o, "--group", "-8"], ["cook", a, "-o", o, "--weights", "normal=x"],
                      ["cook", a, "-o", o, "--weights", "uv=1,uv=1"], ["cook", a, "-o", o, "--weights", "normal=nan"],
                      ["cook", a, "-o", o, "--weights", ""], ["cook", a, "-o", o, "--error-rule", "wrong"],
                      ["cook", a, "-o", o, "--jobs", "0"], ["info"], ["info", a, a], ["verify", a, "--cuts", "0"],
                      ["cut", a, "-o", o], ["cut", a, "--error", "1"], ["cut", a, "-o", o, "--error", "-1"],
                      ["cut", a, "-o", o, "--error", "1", "--camera", "0,0,0"], ["cut", a, "-o", o, "--camera", "0,0"],
                      ["cut", a, "-o", o, "--error", "1", "--px", "1"], ["cut", a, "-o", o, "--camera", "0,0,inf"],
                      ["cut", a, "-o", o, "--camera", "0,0,0", "--fov", "180"], ["version", "x"]):
            with self.subTest(words=words):
                self.run_tool(*words, want=USAGE)
        self.assert_only("a.obj")

    def test_what_this_version_cannot_do_is_refused(self):
        a, o = self.text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), self.path("o.trn")
        for words in (["--page-bytes", "131072"], ["--codec", "meshopt"], ["--codec", "meshopt+zstd"],
                      ["--error-rule", "measured"], ["--jobs", "2"]):
            with self.subTest(words=words):
                self.assertIn("this version", self.run_tool("cook", a, "-o", o, *words, want=USAGE))
        self.assert_only("a.obj")


class errors(ToolTest):
    def test_bad_meshes_are_bad_input_and_leave_no_file(self):
        tetrahedron = ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
        whole = open(meshes.write_ply(self.path("whole.ply"), tetrahedron), "rb").read()
        os.remove(self.path("whole.ply"))
        header = "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n"
        cases = {
            "empty.obj": "", "empty.ply": "", "nothing.obj": "# nothing\n", "points.obj": "v 0 0 0\nv 1 0 0\n",
            "noise.glb": bytes(range(256)) * 4, "noise.ply": bytes(range(256)) * 4, "unknown.xyzzy": "hello\n",
            "nan.obj": "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "inf.obj": "v inf 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
            "far_index.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "lines.obj": "v 0 0 0\nv 1 0 0\nl 1 2\n",
            "one_place.obj": "v 1 1 1\n" * 3 + "f 1 2 3\n", "line.obj": "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",
            "far_index.ply": header % (3, 1) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
            "minus.ply": header % (3, 1) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n",
            "word.ply": header % (3, 1) + "0 0 0\n1 zero 0\n0 1 0\n3 0 1 2\n",
            "lying.ply": header % (4000000000, 1) + "0 0 0\n", "lying_faces.ply": header % (3, 2000000000) + "0 0 0\n" * 3,
            "huge.off": "OFF\n300000000000 1 0\n0 0 0\n", "not_gzipped.ply.gz": whole, "cut.ply.gz": gzip.compress(whole)[:-12],
        }
        for name, content in cases.items():
            with self.subTest(name=name):
                self.text(name, content)
                self.run_tool("cook", self.path(name), "-o", self.path("o.trn"), want=BAD_INPUT)
        self.assert_only(*cases)

    def test_a_ply_cut_anywhere_is_refused(self):
        mesh = ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
        for order in ("<", ">", ""):
            whole = open(meshes.write_ply(self.path("whole.ply"), mesh, order), "rb").read().rstrip(b"\n")
            for length in range(0, len(whole), 5):
                self.text("cut.ply", whole[:length])
                self.run_tool("cook", self.path("cut.ply"), "-o", self.path("o.trn"), want=BAD_INPUT)
        self.assert_only("whole.ply", "cut.ply")

    def test_missing_and_unwritable_files_are_io_errors(self):
        good = meshes.write_obj(self.path("good.obj"), meshes.sphere(6, 8))
        o = self.path("o.trn")
        self.run_tool("cook", self.path("missing.obj"), "-o", o, want=IO)
        self.run_tool("cook", self.folder, "-o", o, want=IO)
        self.run_tool("cook", good, "-o", self.path("no_such_folder/o.trn"), want=IO)
        self.run_tool("cook", good, "-o", self.folder, want=IO)
        self.run_tool("cook", good, "-o", "/dev/null", want=IO)
        self.run_tool("cook", good, "-o", os.path.join(good, "o.trn"), want=IO)
        for name in ("info", "verify"):
            self.run_tool(name, self.path("missing.trn"), want=IO)
            self.run_tool(name, self.folder, want=IO)
        self.run_tool("cut", self.path("missing.trn"), "--error", 0, "-o", self.path("o.ply"), want=IO)
        self.assert_only("good.obj")

    def test_a_failure_keeps_the_existing_output(self):
        old = self.text("o.trn", "precious")
        self.text("bad.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.run_tool("cook", self.path("bad.obj"), "-o", old, want=BAD_INPUT)
        self.run_tool("cook", self.path("missing.obj"), "-o", old, want=IO)
        self.run_tool("cut", old, "--error", 0, "-o", self.text("o.ply", "dear"), want=BAD_INPUT)
        self.assertEqual(open(old).read(), "precious")
        self.assertEqual(open(self.path("o.ply")).read(), "dear")
        self.assert_only("o.trn", "o.ply", "bad.obj")

    def test_the_input_is_never_the_output(self):
        good = meshes.write_obj(self.path("good.obj"), meshes.sphere(6, 8))
        os.link(good, self.path("same.obj"))
        self.run_tool("cook", good, "-o", self.path("same.obj"), want=USAGE)

    def test_names_with_odd_characters_stay_on_one_line(self):
        self.assertIn("a b", self.run_tool("info", self.path("a\nb"), want=IO))
        self.run_tool("info", self.path("x" * 200), want=IO)

    def test_a_full_disk_is_an_io_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([TOOL, "help"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (IO, 1))

    def test_files_that_are_no_models_are_bad_input(self):
        for name, content in (("empty.trn", b""), ("short.trn", b"TRNMODEL"), ("noise.trn", bytes(range(256)) * 8)):
            self.text(name, content)
            self.run_tool("info", self.path(name), want=BAD_INPUT)
            self.run_tool("verify", self.path(name), want=BAD_INPUT)
            self.run_tool("cut", self.path(name), "--error", 0, "-o", self.path("o.ply"), want=BAD_INPUT)
        self.assertFalse(os.path.exists(self.path("o.ply")))


class import_(ToolTest):
    def triangles_of(self, path):
        return self.run_json("cook", path, "-o", self.path("o.trn"))["stats"]["source_triangles"]

    def test_every_format_gives_the_same_triangles(self):
        mesh = meshes.sphere(12, 24)
        boxes = set()
        for path in (meshes.write_obj(self.path("a.obj"), mesh), meshes.write_off(self.path("a.off"), mesh),
                     meshes.write_stl(self.path("a.stl"), mesh), meshes.write_ply(self.path("a.ply"), mesh),
                     meshes.write_ply(self.path("b.ply"), mesh, ">"), meshes.write_ply(self.path("t.ply"), mesh, ""),
                     meshes.write_gz(meshes.write_obj(self.path("z.obj"), mesh)),
                     meshes.write_gz(meshes.write_ply(self.path("z.ply"), mesh))):
            self.assertEqual(self.triangles_of(path), len(mesh[1]), path)
            info = self.run_json("info", self.path("o.trn"))
            boxes.add(tuple(round(x, 6) for x in info["box"]["min"] + info["box"]["max"]))
            self.run_tool("verify", self.path("o.trn"), "--cuts", 2, "--source", path)
        self.assertEqual(len(boxes), 1, boxes)

    def test_a_large_binary_ply_keeps_every_face(self):
        cards = ([], [])
        for i in range(20000):
            x, z = i % 141, i // 141
            cards[0].extend([(x, 0, z), (x + 0.5, 0, z), (x + 0.5, 1, z), (x, 1, z)])
            cards[1].extend([(4 * i, 4 * i + 1, 4 * i + 2), (4 * i, 4 * i + 2, 4 * i + 3)])
        self.assertEqual(self.triangles_of(meshes.write_ply(self.path("cards.ply"), cards)), 40000)

    def test_polygons_and_strips_of_a_ply(self):
        square = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        self.assertEqual(self.triangles_of(meshes.write_ply(self.path("quad.ply"), (square, [(0, 1, 2, 3)]), "")), 2)
        arrow = ([(0, 0, 0), (2, 0, 0), (0.5, 0.5, 0), (0, 2, 0)], [(1, 2, 3, 0)])
        self.assertEqual(self.triangles_of(meshes.write_ply(self.path("arrow.ply"), arrow, "")), 2)
        self.run_tool("cut", self.path("o.trn"), "--error", 0, "-o", self.path("arrow_cut.ply"))
        vertices, triangles = meshes.read_cut(self.path("arrow_cut.ply"))
        area = sum(abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2
                   for a, b, c in ([vertices[i] for i in t] for t in triangles))
        self.assertAlmostEqual(area, 1.0, 3)
        strip = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 0 1 2\n"
        self.assertEqual(self.triangles_of(self.text("strip.ply", strip)), 3)

    def gltf(self, nodes):
        positions = struct.pack("<9f", 0, 0, 0, 2, 0, 0, 0, 1, 0)
        import base64
        return json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes,
            "materials": [{"name": "leaf", "doubleSided": True, "alphaMode": "MASK"}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [2, 1, 0]}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64," + base64.b64encode(positions).decode()}]})

    def test_node_transforms_are_applied_along_the_tree(self):
        nodes = [{"translation": [10, 0, 0], "children": [1, 2]}, {"mesh": 0, "scale": [3, 1, 1]}, {"mesh": 0, "translation": [0, 0, 5]}]
        source = self.text("nodes.gltf", self.gltf(nodes))
        self.assertEqual(self.triangles_of(source), 2)
        info = self.run_json("info", self.path("o.trn"))
        for got, want in zip(info["box"]["min"] + info["box"]["max"], [10, 0, 0, 16, 1, 5]):
            self.assertAlmostEqual(got, want, 3)
        self.assertEqual(info["materials"], ["leaf"])

    def test_a_mirror_turns_the_winding(self):
        for scale, sign in (([1, 1, 1], 1), ([-1, 1, 1], 1)):
            self.text("mirror.gltf", self.gltf([{"mesh": 0, "scale": scale}]))
            self.run_tool("cook", self.path("mirror.gltf"), "-o", self.path("o.trn"))
            self.run_tool("cut", self.path("o.trn"), "--error", 0, "-o", self.path("o.ply"))
            vertices, triangles = meshes.read_cut(self.path("o.ply"))
            a, b, c = (vertices[i] for i in triangles[0])
            self.assertGreater(sign * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])), 0)

    def test_materials_become_parts_with_their_names(self):
        source = meshes.write_obj(self.path("m.obj"), meshes.sheet(16), ["stone", "grass", "sand"])
        self.assertEqual(sorted(self.run_json("cook", source, "-o", self.path("o.trn"))["materials"]), ["grass", "sand", "stone"])

    def test_lines_are_left_out_and_said(self):
        source = self.text("l.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n")
        summary = self.run_json("cook", source, "-o", self.path("o.trn"))
        self.assertTrue(any("left out" in n for n in summary["notes"]), summary)

    def slow_obj(self):
        """A file that takes assimp seconds."""
        return self.text("slow.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "f 1 2 3\n" * 3000000)

    def test_an_importer_that_does_not_end_is_bad_input(self):
        said = self.run_tool("cook", self.slow_obj(), "-o", self.path("o.trn"), "--import-seconds", 1, want=BAD_INPUT)
        self.assertIn("had not finished after 1 s", said)
        self.assert_only("slow.obj")

    def test_an_importer_that_crashes_is_bad_input(self):
        process = subprocess.Popen([TOOL, "cook", self.slow_obj(), "-o", self.path("o.trn")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        children = "/proc/%d/task/%d/children" % (process.pid, process.pid)
        if not os.path.exists(children):
            process.kill()
            process.communicate()
            self.skipTest("no way to find the importer's process")
        importer = ""
        while not importer and process.poll() is None:
            importer = open(children).read().strip()
        time.sleep(0.2)
        os.kill(int(importer), signal.SIGABRT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, err.count(b"\n")), (BAD_INPUT, b"", 1))
        self.assertIn(b"the importer crashed on it (signal 6)", err)
        self.assert_only("slow.obj")

    def test_limits_hold(self):
        source = meshes.write_obj(self.path("s.obj"), meshes.sheet(300))
        self.run_tool("cook", source, "-o", self.path("o.trn"), "--import-memory", 1, want=BAD_INPUT)
        self.assert_only("s.obj")


class cook(ToolTest):
    def test_a_cook_says_its_figures(self):
        source = meshes.write_obj(self.path("s.obj"), meshes.sphere(24, 48))
        self.assertIn("level", self.run_tool("cook", source, "-o", self.path("o.trn"), "--levels", "auto"))
        summary = self.run_json("cook", source, "-o", self.path("o.trn"), "--levels", "auto")
        stats = summary["stats"]
        self.assertEqual(summary["file_bytes"], os.path.getsize(self.path("o.trn")))
        self.assertEqual(stats["source_triangles"], len(meshes.sphere(24, 48)[1]))
        self.assertEqual(len(summary["levels"]), stats["level_count"])
        self.assertGreater(stats["level_count"], 1)
        self.assertGreater(stats["peak_bytes"], 0)
        self.assertEqual(sorted(summary["seconds"]), ["cook", "import", "write"])
        self.assert_only("s.obj", "o.trn")

    def test_the_same_mesh_gives_the_same_bytes(self):
        source = meshes.write_obj(self.path("s.obj"), meshes.sphere(24, 48))
        for name in ("a.trn", "b.trn"):
            self.run_tool("cook", source, "-o", self.path(name), "--levels", "auto")
        self.assertEqual(open(self.path("a.trn"), "rb").read(), open(self.path("b.trn"), "rb").read())

    def test_options_reach_the_cook(self):
        source = meshes.write_obj(self.path("s.obj"), meshes.sheet(40))
        sizes = {}
        for words in ((), ("--levels", "2"), ("--levels=auto",), ("--levels", "auto", "--group", "16"), ("--levels", "auto", "--error-rule", "max"),
                      ("--levels", "auto", "--lock-mesh-border"), ("--levels", "auto", "--weights", "normal=0,uv=0"), ("--levels", "auto", "--weights=uv=2")):
            self.run_tool("cook", source, "-o", self.path("o.trn"), *words, "--page-bytes", "0", "--codec", "none", "--jobs", "1")
            sizes[words] = open(self.path("o.trn"), "rb").read()
        self.assertEqual(len(self.run_json("info", self.path("o.trn"))["levels"]) > 1, True)
        self.assertEqual(len(set(sizes.values()) | {b""}) >= 6, True)

    def test_an_existing_output_is_replaced_and_its_rights_are_ordinary(self):
        self.text("o.trn", "old")
        source = meshes.write_obj(self.path("s.obj"), meshes.sphere(6, 8))
        self.run_tool("cook", source, "-o", self.path("o.trn"), preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(os.stat(self.path("o.trn")).st_mode & 0o777, 0o640)
        self.run_tool("info", self.path("o.trn"))

    def test_a_relative_output_works(self):
        meshes.write_obj(self.path("s.obj"), meshes.sphere(6, 8))
        self.run_tool("cook", "s.obj", "-o", "o.trn", cwd=self.folder)
        self.assert_only("s.obj", "o.trn")


class model(ToolTest):
    def test_info_agrees_with_itself(self):
        path = self.sphere_model()
        for word in ("level", "page", "chunk", "material", "grid", "box"):
            self.assertIn(word, self.run_tool("info", path))
        info = self.run_json("info", path)
        self.assertEqual(info["file_bytes"], os.path.getsize(path))
        self.assertEqual(sum(l["pages"] for l in info["levels"]), len(info["pages"]))
        self.assertEqual(sum(p["chunks"] for p in info["pages"]), len(info["chunks"]))
        self.assertEqual(sum(p["triangles"] for p in info["pages"]), info["stored_triangles"])
        for i, page in enumerate(info["pages"]):
            self.assertTrue(all(d < i for d in page["depends_on"]))

    def test_info_needs_the_head_alone(self):
        path = self.sphere_model()
        data = bytearray(open(path, "rb").read())
        head = self.run_json("info", path)["head_bytes"]
        data[head:] = bytes(len(data) - head)
        self.text("no_payload.trn", bytes(data))
        self.run_tool("info", self.path("no_payload.trn"))
        self.run_tool("verify", self.path("no_payload.trn"), want=BAD_INPUT)

    def test_every_proof_of_a_cooked_model_holds(self):
        path = self.sphere_model()
        verdict = self.run_json("verify", path, "--source", self.path("sphere.obj"), "--cuts", 8)
        self.assertTrue(verdict["holds"])
        results = {p["name"]: p["result"] for p in verdict["proofs"]}
        self.assertEqual(results.pop("SOURCE_DISTANCE"), "not checked")
        self.assertEqual(set(results.values()), {"pass"})
        self.assertEqual((verdict["cuts"], verdict["open_edges"], verdict["failure"]), (8, 0, None))
        self.assertIn("every proof holds", self.run_tool("verify", path))

    def test_another_source_is_told_apart(self):
        path = self.sphere_model()
        other = meshes.write_obj(self.path("other.obj"), meshes.sphere(24, 50))
        self.assertIn("REFUTED", self.run_tool("verify", path, "--source", other, want=NO))
        larger = meshes.write_obj(self.path("larger.obj"), meshes.sphere(24, 48, 1.01))
        verdict = self.run_json("verify", path, "--source", larger, want=NO)
        self.assertEqual([p["name"] for p in verdict["proofs"] if p["result"] == "fail"], ["SOURCE_BOX"])
        self.run_tool("verify", path, "--source", self.path("missing.obj"), want=IO)

    def test_a_damaged_file_never_verifies(self):
        path = self.sphere_model(8, 12)
        data = open(path, "rb").read()
        for at in range(0, len(data), max(1, len(data) // 60)):
            damaged = bytearray(data)
            damaged[at] ^= 0x10
            self.text("damaged.trn", bytes(damaged))
            done = subprocess.run([TOOL, "verify", self.path("damaged.trn"), "--cuts", "1"], capture_output=True, timeout=60)
            # Bytes between chunks are filling and may be anything.
            self.assertIn(done.returncode, (DONE, BAD_INPUT), (at, done))
            if done.returncode == BAD_INPUT:
                self.assertEqual(done.stderr.count(b"\n"), 1)
        for length in range(0, len(data), max(1, len(data) // 40)):
            self.text("short.trn", data[:length])
            self.run_tool("info", self.path("short.trn"), want=BAD_INPUT)
            self.run_tool("verify", self.path("short.trn"), want=BAD_INPUT)


class cut(ToolTest):
    def test_cuts_of_a_closed_mesh_are_closed(self):
        path = self.sphere_model(40, 80)
        info = self.run_json("info", path)
        triangles = []
        for error in (0, 1e-4, 1e-3, 1e-2, 0.1, 10):
            got = self.run_json("cut", path, "--error", error, "-o", self.path("o.ply"))
            vertices, faces = meshes.read_cut(self.path("o.ply"))
            self.assertEqual((len(vertices), len(faces)), (got["vertices"], got["triangles"]))
            self.assertEqual(unpaired(faces), [], error)
            self.assertEqual(len(set(vertices)), len(vertices))
            triangles.append(len(faces))
        self.assertEqual(triangles[0], info["levels"][0]["triangles"])
        self.assertEqual(triangles, sorted(triangles, reverse=True))
        self.assertLess(triangles[-1], triangles[0] / 4)

    def test_cuts_with_a_camera_and_missing_pages_are_closed(self):
        path = self.sphere_model(40, 80)
        last = len(self.run_json("info", path)["pages"]) - 1
        for words in (["--camera", "1.5,0,0"], ["--camera=-3,2,1", "--px", "4", "--height", "720", "--fov", "90"],
                      ["--error", "0", "--missing", "random:1"], ["--error", "0", "--missing", "random:2"],
                      ["--error", "0", "--missing", str(last)], ["--camera", "1.1,0,0", "--missing", "random:7"]):
            got = self.run_json("cut", path, *words, "-o", self.path("o.ply"))
            vertices, faces = meshes.read_cut(self.path("o.ply"))
            self.assertEqual(unpaired(faces), [], words)
            self.assertGreater(len(faces), 0)
            self.assertIn("triangles", self.run_tool("cut", path, *words, "-o", self.path("o.ply")))

    def test_missing_pages_are_closed_and_told(self):
        path = self.sphere_model(40, 80)
        info = self.run_json("info", path)
        last = len(info["pages"]) - 1
        got = self.run_json("cut", path, "--error", 0, "--missing", "0,%d" % last, "-o", self.path("o.ply"))
        self.assertEqual(got["missing_asked"], [0, last])
        self.assertNotIn(0, got["missing"])
        self.assertIn(last, got["missing"])
        self.assertLess(got["triangles"], info["levels"][0]["triangles"])
        if last >= 2:
            got = self.run_json("cut", path, "--error", 0, "--missing", "1", "-o", self.path("o.ply"))
            want = {1}
            for i, page in enumerate(info["pages"]):
                if want & set(page["depends_on"]):
                    want.add(i)
            self.assertEqual(set(got["missing"]), want)
        same = [self.run_json("cut", path, "--error", 0, "--missing", "random:5", "-o", self.path("o.ply")) for _ in range(2)]
        self.assertEqual(same[0], same[1])

    def test_wrong_pages_are_usage_errors(self):
        path = self.sphere_model(8, 12)
        for missing in ("999", "0,x", "", "random:", "random:x", "-1", "0,,1"):
            with self.subTest(missing=missing):
                self.run_tool("cut", path, "--error", 0, "--missing", missing, "-o", self.path("o.ply"), want=USAGE)
        self.assertFalse(os.path.exists(self.path("o.ply")))


def unpaired(faces):
    return meshes.unpaired_edges(faces)


class cancel(ToolTest):
    def test_signals_end_a_cook_and_leave_nothing(self):
        source = meshes.write_ply(self.path("s.ply"), meshes.sphere(500, 500))
        self.text("o.trn", "precious")
        cancelled = 0
        for number, wait in ((signal.SIGINT, 0.05), (signal.SIGINT, 0.5), (signal.SIGTERM, 0.3), (signal.SIGINT, 1.0)):
            with self.subTest(wait=wait):
                process = subprocess.Popen([TOOL, "cook", source, "-o", self.path("o.trn"), "--levels", "auto"],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                time.sleep(wait)
                process.send_signal(number)
                start = time.monotonic()
                out, err = process.communicate(timeout=60)
                if process.returncode == DONE:
                    continue
                cancelled += 1
                self.assertEqual(process.returncode, -number)
                # Sent before main has begun, a signal ends the process without a word.
                if err:
                    self.assertEqual((out, err.count(b"\n")), (b"", 1))
                    self.assertIn(b"cancelled", err)
                self.assertLess(time.monotonic() - start, 20)
                self.assertEqual(open(self.path("o.trn"), "rb").read(), b"precious")
                self.assert_only("s.ply", "o.trn")
        self.assertGreater(cancelled, 0)


class shared_data(ToolTest):
    """Meshes from outside; see TRN_TEST_DATA."""

    def mesh(self, name):
        path = os.path.join(DATA, name)
        if not os.path.exists(path):
            self.skipTest("no " + name)
        return path

    def test_importers_that_crash_or_grow_are_bad_input(self):
        for name in ("nasty/real/assimp/OutOfMemory.off", "nasty/real/assimp/crash-30d6d0f7c529b3b66b4131700b7a4580cd7082df.ply",
                     "nasty/synthetic/lying_vertex_count.ply", "nasty/synthetic/lying_face_count.ply", "nasty/synthetic/truncated.ply",
                     "nasty/synthetic/index_out_of_range.ply", "nasty/synthetic/index_out_of_range.obj"):
            with self.subTest(name=name):
                self.run_tool("cook", self.mesh(name), "-o", self.path("o.trn"), "--import-seconds", 60, want=BAD_INPUT)
        self.assert_only()

    def test_known_meshes_have_their_triangles(self):
        for name, triangles, materials in (("scans/bunny_closed.off.gz", 69666, 1), ("game/FlightHelmet/FlightHelmet.gltf", 94722, 6),
                                           ("scans/dragon_res4.ply.gz", 11102, 1), ("game/godot_room.glb.gz", 63720, 2)):
            with self.subTest(name=name):
                summary = self.run_json("cook", self.mesh(name), "-o", self.path("o.trn"))
                self.assertEqual((summary["stats"]["source_triangles"], len(summary["materials"])), (triangles, materials))

    def test_a_scan_verifies_and_its_cuts_are_closed(self):
        source = self.mesh("scans/bunny_closed.off.gz")
        self.run_tool("cook", source, "-o", self.path("bunny.trn"), "--levels", "auto")
        self.run_tool("verify", self.path("bunny.trn"), "--source", source)
        for words in (["--error", "1e-4"], ["--error", "1e-3", "--missing", "random:3"], ["--camera", "0,0.1,0.4"]):
            self.run_tool("cut", self.path("bunny.trn"), *words, "-o", self.path("o.ply"))
            self.assertEqual(unpaired(meshes.read_cut(self.path("o.ply"))[1]), [], words)


DATA = os.environ.get("TRN_TEST_DATA", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/data"))

if __name__ == "__main__":
    chosen = {"import": import_}.get(sys.argv[3]) or globals()[sys.argv[3]]
    if chosen is shared_data and not os.path.isdir(DATA):
        print("no test data: skipped")
        sys.exit(77)
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromTestCase(chosen))
    sys.exit(not result.wasSuccessful())
