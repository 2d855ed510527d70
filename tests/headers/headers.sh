#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles each public header alone and twice in a row, as every language that a host may use, with strict warnings.
set -u
include=$1
flags='-fsyntax-only -Wall -Wextra -Wpedantic -pedantic-errors -Wconversion -Wshadow -Wundef -Werror'
compiled=0
failed=0

check() { # check LANGUAGE STANDARD COMPILER HEADER
    compiled=$((compiled + 1))
    # shellcheck disable=SC2086
    printf '#include <%s>\n#include <%s>\nextern int something_after_the_header;\n' "$4" "$4" |
        "$3" $flags -x "$1" "-std=$2" -I "$include" - && return
    printf '%s alone does not compile as %s with %s\n' "$4" "$2" "$3"
    failed=$((failed + 1))
}

for header in $(cd "$include" && find . -name '*.h' | sed 's|^\./||' | LC_ALL=C sort); do
    for compiler in gcc clang; do
        command -v $compiler >/dev/null 2>&1 || continue
        for standard in c99 c11 c17 c2x; do check c $standard $compiler "$header"; done
    done
    for compiler in g++ clang++; do
        command -v $compiler >/dev/null 2>&1 || continue
        for standard in c++11 c++17 c++20; do check c++ $standard $compiler "$header"; done
    done
done

printf '%d compiled, %d failed\n' "$compiled" "$failed"
[ "$compiled" -gt 0 ] && [ "$failed" -eq 0 ]
