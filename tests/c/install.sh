#!/bin/sh
# Installs below a folder, moves the tree, and builds a program from it with pkg-config (shared and static) and CMake.
set -eu
cd "$(dirname "$0")/../.."
from=${FROM:?where cargo put the libraries}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for libdir in lib lib/x86_64-linux-gnu; do
  FROM=$from DESTDIR=$work/dest PREFIX=/opt/mcpcore LIBDIR=$libdir sh ffi/install.sh
  rm -rf "$work/moved"
  mv "$work/dest/opt/mcpcore" "$work/moved"
  lib=$work/moved/$libdir
  test "$(readelf -d "$lib/libmcpcore.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" = "$(readlink "$lib/libmcpcore.so")"
  export PKG_CONFIG_PATH="$lib/pkgconfig"
  test "$(pkg-config --modversion mcpcore)" = "$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)"
  ${CC:-cc} ffi/examples/weather.c $(pkg-config --cflags --libs mcpcore) -Wl,-rpath,"$lib" -o "$work/shared"
  ${CC:-cc} ffi/examples/weather.c $(pkg-config --cflags mcpcore) -L"$lib" -l:libmcpcore.a \
    $(pkg-config --static --libs-only-l mcpcore | sed 's/-lmcpcore//') -o "$work/static"
  readelf -d "$work/shared" | grep -q 'NEEDED.*libmcpcore'
  if readelf -d "$work/static" | grep -q 'NEEDED.*libmcpcore'; then exit 1; fi
  for program in shared static; do
    test -z "$("$work/$program" --stdio </dev/null)"
  done

  cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.16)
project(weather C)
find_package(mcpcore 0.1 REQUIRED)
add_executable(with_shared $PWD/ffi/examples/weather.c)
target_link_libraries(with_shared mcpcore::mcpcore)
add_executable(with_static $PWD/ffi/examples/weather.c)
target_link_libraries(with_static mcpcore::static)
find_package(mcpcore 9.0 QUIET)
if(mcpcore_FOUND)
  message(FATAL_ERROR "a version that is not there was found")
endif()
CMAKE
  rm -rf "$work/cmake"
  cmake -S "$work" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_LIBRARY_ARCHITECTURE=x86_64-linux-gnu >/dev/null
  cmake --build "$work/cmake" >/dev/null
  for program in with_shared with_static; do
    test -z "$("$work/cmake/$program" --stdio </dev/null)"
  done
done
echo 'ok: install'
