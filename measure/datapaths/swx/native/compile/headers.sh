#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: headers.sh DIR
# Puts into DIR the two headers that compiled pipelines include and libdpdk-dev lacks, and beside DIR
# DPDK's own pipeline application, which benchmarks/pipelines.py compares with, out of the
# distribution's own source package of the version that is installed. The system's package lists
# and sources stay as they are: apt works on a copy of them that asks for sources. What cannot be
# had is said, and is no failure: linerate doctor names what is missing.
set -eu
headers='rte_swx_pipeline_internal.h rte_swx_pipeline_spec.h'
out=$1

skip() {
	echo "setup: no P4 pipelines: $1" >&2
	exit 0
}

version=$(dpkg-query -W -f '${source:Version}' libdpdk-dev 2>/dev/null) || version=''
[ -n "$version" ] || skip 'libdpdk-dev is not installed'
examples=${out%/*}/examples
[ "$(cat "$out/version" 2>/dev/null)" != "$version" ] || [ ! -d "$examples/pipeline" ] || exit 0
command -v apt-get >/dev/null || skip 'no apt-get to fetch the source of libdpdk-dev with'

state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
trap 'exit 3' HUP INT TERM
mkdir -p "$state/sources" "$state/lists/partial" "$state/cache/archives/partial" "$state/source"
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
	[ -f "$list" ] || continue
	sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$list" >"$state/sources/${list##*/}"
done
for list in /etc/apt/sources.list.d/*.sources; do
	[ -f "$list" ] || continue
	sed 's/^Types:.*/Types: deb-src/' "$list" >"$state/sources/${list##*/}"
done

apt() {
	apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$state/sources" \
		-o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" \
		-o APT::Sandbox::User="$(id -un)" "$@" </dev/null
}

apt update >/dev/null 2>&1 || skip 'package lists of sources cannot be had'
cd "$state/source"
apt source --download-only "dpdk=$version" >/dev/null 2>&1 \
	|| skip "the source of dpdk $version cannot be had"
mkdir "$state/headers"
for header in $headers; do
	tar -xOf dpdk_*.orig.tar.* --wildcards "*/lib/pipeline/$header" >"$state/headers/$header" \
		|| skip "the source of dpdk $version has no $header"
done
mkdir examples
tar -xf dpdk_*.orig.tar.* -C examples --strip-components=2 --wildcards 'dpdk-*/examples/pipeline/*' \
	|| skip "the source of dpdk $version has no pipeline application"
cd - >/dev/null
mkdir -p "$out" "$examples"
cp -r "$state/source/examples/pipeline" "$examples"
cp "$state/headers/"* "$out"
echo "$version" >"$out/version"
