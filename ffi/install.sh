#!/bin/sh
# Lays the C library under $DESTDIR$PREFIX: the shared library with its links, the static one, the header, and the
# packages for pkg-config and CMake, which find everything from where they stand, so that the tree can be moved.
# The Makefile sets FROM (where cargo put the libraries), PREFIX, LIBDIR (under PREFIX) and DESTDIR.
set -eu
cd "$(dirname "$0")/.."

prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-lib}
root=${DESTDIR:-}$prefix
lib=$root/$libdir
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
major=${version%%.*}
minor=${version#*.} minor=${minor%%.*}
# Before 1.0 each minor version has a SONAME of its own.
case $(uname -s) in
Darwin) soname=libmcpcore.$major.$minor.dylib full=libmcpcore.$version.dylib plain=libmcpcore.dylib ;;
*) soname=libmcpcore.so.$major.$minor full=libmcpcore.so.$version plain=libmcpcore.so ;;
esac
# rustc replaces its output file, so it gets one in a folder of its own.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo >"$scratch/empty.rs"
native=$(${RUSTC:-rustc} --crate-type staticlib --print native-static-libs --out-dir "$scratch" "$scratch/empty.rs" 2>&1 |
  sed -n 's/^note: native-static-libs: //p')
test -n "$native"
# From the folder of the library back to the prefix, one ".." a step.
up=$(printf %s "$libdir" | sed 's,[^/][^/]*,..,g')

mkdir -p "$lib/pkgconfig" "$lib/cmake/mcpcore" "$root/include"
install -m 755 "$FROM/$plain" "$lib/$full"
ln -sf "$full" "$lib/$soname"
ln -sf "$soname" "$lib/$plain"
install -m 644 "$FROM/libmcpcore.a" "$lib/libmcpcore.a"
install -m 644 include/mcpcore.h "$root/include/mcpcore.h"

fill() {
  sed -e "s,@VERSION@,$version,g; s,@MAJOR@,$major,g; s,@MINOR@,$minor,g" \
    -e "s,@LIBRARY@,$full,g; s,@SONAME@,$soname,g" \
    -e "s,@PREFIX_FROM_PC@,../$up,g; s,@PREFIX_FROM_LIB@,$up,g" \
    -e "s,@NATIVE_LIBS@,$native,g; s,@NATIVE_LIBS_CMAKE@,$(echo "$native" | tr ' ' ';'),g" "$1" >"$2"
}
fill ffi/mcpcore.pc.in "$lib/pkgconfig/mcpcore.pc"
fill ffi/mcpcoreConfig.cmake.in "$lib/cmake/mcpcore/mcpcoreConfig.cmake"
fill ffi/mcpcoreConfigVersion.cmake.in "$lib/cmake/mcpcore/mcpcoreConfigVersion.cmake"
