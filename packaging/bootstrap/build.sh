# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Configures and builds one of the presets in build/<preset>, with a log and a progress line.

export CCACHE_DIR=${CCACHE_DIR:-$cache/ccache}

# Compilers of LibTorch's headers take up to 1 GB each.
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ { print int($2 / 1000000) }' /proc/meminfo)
  ((memory = memory < 1 ? 1 : memory))
  echo $((cores < memory ? cores : memory))
}

cache_value() {
  sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt" 2>/dev/null
}

# configure PRESET [-DNAME=VALUE...]: does nothing when this was configured before from the same presets.
configure() {
  local preset=$1 folder=$root/build/$1 key
  shift
  key="$* $(sha256sum "$root/CMakePresets.json" | cut -d ' ' -f 1) $root"
  if [[ -e $folder/build.ninja && $(cat "$folder/configured" 2>/dev/null) == "$key" ]]; then
    return
  fi
  mkdir -p "$folder"
  if ! (cd "$root" && cmake --preset "$preset" "$@") >"$folder/configure.log" 2>&1; then
    show_tail "$folder/configure.log" 40
    fail "the build folder build/$preset could not be configured."
  fi
  printf '%s\n' "$key" >"$folder/configured"
}

show_ninja_progress() {
  local line begun=$SECONDS
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      progress 'build' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" \
        "step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}, $((SECONDS - begun)) s"
    fi
  done
  finish_progress
}

# build PRESET TARGET...
build() {
  local preset=$1 folder=$root/build/$1
  shift
  NINJA_STATUS='[%f/%t] ' nice -n 5 ninja -C "$folder" -j "$(build_jobs)" "$@" 2>&1 </dev/null |
    tee "$folder/build.log" | show_ninja_progress && return
  show_tail "$folder/build.log" 40
  fail "the build in build/$preset failed."
}

# Says what of the machine is left out, once: when the release folder is first configured.
say_cuda() {
  if command -v nvcc >/dev/null; then
    say 'CUDA: the toolkit is here, but the CUDA plug-in is not part of this build; the CPU is used.'
  else
    say 'CUDA: no toolkit (nvcc) on this machine, so the CUDA part is left out; the CPU is used.'
  fi
}

# build_release TESTS TARGET...: TESTS is keep or on. Once the tests are on, ./run leaves them on.
build_release() {
  local tests=$1 settings=(-DBIFOCAL_TORCH_ROOT="$torch_root")
  shift
  [[ -e $root/build/release/build.ninja ]] || say_cuda
  [[ $tests == on || $(cache_value "$root/build/release" BIFOCAL_BUILD_TESTS) == ON ]] &&
    settings+=(-DBIFOCAL_BUILD_TESTS=ON)
  [[ $strict == yes || $(cache_value "$root/build/release" BIFOCAL_WARNINGS_AS_ERRORS) == ON ]] &&
    settings+=(-DBIFOCAL_WARNINGS_AS_ERRORS=ON)
  configure release "${settings[@]}"
  build release "$@"
}
