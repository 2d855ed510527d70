#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what Terrane builds with. Idempotent: once all is here it touches nothing and needs no network.
#
# meshoptimizer must be 0.22 or newer. Where the distribution's package is older (Debian 12), the two packages of the next
# Debian release are unpacked under build/deps with apt's own client; nothing outside build/ changes. Signatures are checked
# with the archive keys that are installed, and the mirror is the one that apt uses already.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
deps=$root/build/deps
newer_release=trixie

packages="
ca-certificates clang clang-format cmake g++ gcc gcc-mingw-w64-x86-64 git libclang-rt-dev make ninja-build pkg-config python3
assimp-testmodels libassimp-dev libcmocka-dev libegl-dev libegl-mesa0 libegl1 libepoxy-dev
libboost-dev libgl1-mesa-dri libstb-dev libxxhash-dev zlib1g-dev"

say() { printf 'deps: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"
    elif command -v sudo >/dev/null 2>&1; then sudo "$@"
    else fail "this needs root; install sudo or run as root: $*"
    fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Is this header meshoptimizer 0.22 or newer?
new_enough() {
    [ -f "$1" ] || return 1
    version=$(sed -n 's/^#define MESHOPTIMIZER_VERSION \([0-9]*\).*/\1/p' "$1")
    [ "${version:-0}" -ge 220 ]
}

have_meshoptimizer() { new_enough "$deps/usr/include/meshoptimizer.h" || new_enough /usr/include/meshoptimizer.h; }

apt_update() {
    [ -n "${updated:-}" ] || as_root apt-get -q -o Acquire::Retries=3 update
    updated=1
}

apt_install() {
    apt_update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 install --no-install-recommends "$@"
}

# Unpacks the newer release's libmeshoptimizer-dev and its library under build/deps.
unpack_meshoptimizer() {
    # shellcheck disable=SC1091
    codename=$(. /etc/os-release && printf %s "${VERSION_CODENAME:-}")
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        sed -n "s/^$codename //p" | head -n 1)
    [ -n "$mirror" ] || fail "apt names no mirror of $codename; install meshoptimizer 0.22 or newer and set TRN_MESHOPTIMIZER_ROOT"
    say "unpacking meshoptimizer from $newer_release under build/deps (nothing outside build/ changes)"

    stage=$root/build/deps.$$
    trap 'rm -rf "$stage"' EXIT
    trap 'exit 1' HUP INT TERM
    mkdir -p "$stage/apt/state/lists/partial" "$stage/apt/cache/archives/partial" "$stage/tree"
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$mirror" "$newer_release" \
        >"$stage/apt/sources.list"
    : >"$stage/apt/status"
    if [ "$(id -u)" -eq 0 ]; then chown _apt "$stage/apt" 2>/dev/null || :; fi # apt downloads as its own user
    cat >"$stage/apt/apt.conf" <<CONF
Dir::Etc::SourceList "$stage/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "$stage/apt/state";
Dir::State::Status "$stage/apt/status";
Dir::Cache "$stage/apt/cache";
Acquire::Languages "none";
Acquire::Retries "3";
CONF
    (
        cd "$stage/apt"
        apt-get -q -c "$stage/apt/apt.conf" update
        apt-get -q -c "$stage/apt/apt.conf" download libmeshoptimizer-dev
        library=$(dpkg-deb -f libmeshoptimizer-dev_*.deb Depends | grep -o 'libmeshoptimizer[0-9][^ ,(]*' | head -n 1)
        apt-get -q -c "$stage/apt/apt.conf" download "$library"
        for package in ./*.deb; do dpkg -x "$package" "$stage/tree"; done
    )
    new_enough "$stage/tree/usr/include/meshoptimizer.h" || fail "$newer_release has no meshoptimizer 0.22 or newer"
    rm -rf "$deps"
    mv "$stage/tree" "$deps"
}

missing=
for package in $packages; do
    installed "$package" || missing="$missing $package"
done

if [ -z "$missing" ] && have_meshoptimizer; then
    say "everything is here"
    exit 0
fi
command -v apt-get >/dev/null 2>&1 || fail "no apt-get here; install by hand:$missing and meshoptimizer 0.22 or newer"

if [ -n "$missing" ]; then
    say "installing with apt:$missing"
    # shellcheck disable=SC2086
    apt_install $missing
fi

if ! have_meshoptimizer; then
    candidate() { apt-cache policy libmeshoptimizer-dev 2>/dev/null | sed -n 's/^ *Candidate: *//p'; }
    [ -n "$(candidate)" ] || apt_update
    if dpkg --compare-versions "$(candidate)" ge 0.22; then
        say "installing with apt: libmeshoptimizer-dev"
        apt_install libmeshoptimizer-dev
    else
        unpack_meshoptimizer
    fi
fi
say "done"
