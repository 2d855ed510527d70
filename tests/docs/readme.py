#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the README and the guides say is true: readme.py SOURCE_DIR TERRANE HELLO WORK_DIR

- the C program in the README is examples/01_hello.c, byte for byte, and it runs on a model that `terrane cook` made;
- every `make` word in the README is a target of the Makefile;
- every relative link in README.md and docs/*.md names a file that is there.
"""
import pathlib
import re
import subprocess
import sys

source, terrane, hello, work = (pathlib.Path(argument) for argument in sys.argv[1:])
readme = (source / "README.md").read_text()
faults = []

programs = re.findall(r"```c\n(.*?)```", readme, re.S)
if programs != [(source / "examples" / "01_hello.c").read_text()]:
    faults.append("the C program in README.md is not examples/01_hello.c")

targets = set(re.findall(r"^([a-z]+):", (source / "Makefile").read_text(), re.M))
for word in re.findall(r"(?:^|`)make ([a-z]+)", readme, re.M):
    if word not in targets:
        faults.append(f"README.md names `make {word}`, which the Makefile does not have")

for page in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
    for link in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if "://" not in link and not (page.parent / link).exists():
            faults.append(f"{page.name} links to {link}, which is not there")

# A wavy square of 2 x 40 x 40 triangles.
work.mkdir(parents=True, exist_ok=True)
side = 41
lines = [f"v {x} {(x * x + 3 * y) % 7 * 0.2} {y}" for y in range(side) for x in range(side)]
for y in range(side - 1):
    for x in range(side - 1):
        a = y * side + x + 1
        lines += [f"f {a} {a + side} {a + 1}", f"f {a + 1} {a + side} {a + side + 1}"]
(work / "wavy.obj").write_text("\n".join(lines) + "\n")
subprocess.run([terrane, "cook", work / "wavy.obj", "-o", work / "wavy.trn", "--levels", "auto"], check=True,
               stdout=subprocess.DEVNULL)
printed = subprocess.run([hello, work / "wavy.trn"], check=True, capture_output=True, text=True).stdout
for wanted in ("region 0  resident", "block 0   active", "block 0   unloaded", "draws"):
    if wanted not in printed:
        faults.append(f"01_hello did not print '{wanted}'")

for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
