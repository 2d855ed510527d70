#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs Terrane into a folder of its own and builds a host against it: with find_package, with pkg-config, and as a
# subfolder. usage: package.sh SOURCE WORK static|shared COMPILER
set -eu
source=$1
work=$2
kind=$3
compiler=$4
consumer=$source/tests/package/consumer

case $kind in
static) shared=OFF ;;
shared) shared=ON ;;
*) echo "static or shared?" >&2; exit 2 ;;
esac

rm -rf "$work"
mkdir -p "$work"
prefix=$work/prefix
settings="-G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=$compiler -DBUILD_SHARED_LIBS=$shared"

trap '[ -n "${done:-}" ] || tail -n 40 "$work/log"' EXIT

step() { printf -- '-- %s: %s\n' "$kind" "$*"; }

step install
# shellcheck disable=SC2086
cmake -S "$source" -B "$work/build" $settings -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DTRN_BUILD_TOOLS=OFF -DTRN_BUILD_EXAMPLES=OFF -DTRN_BUILD_BENCHMARKS=OFF -DTRN_BUILD_TESTS=OFF >"$work/log"
cmake --build "$work/build" >>"$work/log"
cmake --install "$work/build" >>"$work/log"

step find_package
# shellcheck disable=SC2086
cmake -S "$consumer" -B "$work/find_package" $settings -DCMAKE_PREFIX_PATH="$prefix" >>"$work/log"
cmake --build "$work/find_package" >>"$work/log"
"$work/find_package/consumer"

step pkg-config
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
if [ "$kind" = static ]; then
    flags=$(pkg-config --static --cflags --libs terrane-cook terrane-host)
else
    flags="$(pkg-config --cflags --libs terrane-cook terrane-host) -Wl,-rpath,$prefix/lib"
fi
# shellcheck disable=SC2086
"$compiler" -std=c99 "$consumer/main.c" $flags -o "$work/consumer"
"$work/consumer"

step add_subdirectory
# shellcheck disable=SC2086
cmake -S "$consumer" -B "$work/subfolder" $settings -DTERRANE_SOURCE="$source" >>"$work/log"
cmake --build "$work/subfolder" >>"$work/log"
"$work/subfolder/consumer"
done=yes
