# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Pinned wheels: fetched by pip with its own settings, checked by sha256, kept in the cache. The LibTorch inside them is
# unpacked once, whole or not at all.

wheels_list=$root/packaging/bootstrap/wheels.txt
downloads=$cache/downloads

# wheels_of GROUP: lines "name==version sha256 bytes file".
wheels_of() {
  awk -v group="$1" '$1 == group { print $2, $3, $4, $5 }' "$wheels_list"
}

# wheels_key GROUP: one word that changes when the group's pins change.
wheels_key() {
  wheels_of "$1" | sha256sum | cut -d ' ' -f 1
}

has_sha256() {
  printf '%s  %s\n' "$2" "$1" | sha256sum --check --status 2>/dev/null
}

# pip of the system first: it is the one that packages.txt installs, whatever python3 is first in PATH.
find_pip() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      pip=("$python" -m pip)
      return
    fi
  done
  fail 'pip is missing (Debian package python3-pip).'
}

pip_child=''
trap '[[ -z $pip_child ]] || kill "$pip_child" 2>/dev/null' EXIT

# Runs pip with its temporary files in FOLDER and watches them grow; pip itself also checks the hash.
pip_download() {
  local pin=$1 sha=$2 bytes=$3 folder=$4 size status=0
  printf '%s --hash=sha256:%s\n' "$pin" "$sha" >"$folder/requirement.txt"
  mkdir "$folder/tmp"
  TMPDIR=$folder/tmp "${pip[@]}" download --no-deps --no-cache-dir --no-input --disable-pip-version-check \
    --python-version 3.11 --only-binary=:all: --require-hashes --progress-bar off --dest "$folder" \
    --requirement "$folder/requirement.txt" >"$downloads/pip.log" 2>&1 </dev/null &
  pip_child=$!
  while kill -0 "$pip_child" 2>/dev/null; do
    size=$(du -sb "$folder/tmp" 2>/dev/null | cut -f 1) || true # files come and go while it looks
    ((size = size > bytes ? bytes : size))
    progress "$pin" "$size" "$bytes" "$(human_bytes "$size") of $(human_bytes "$bytes")"
    sleep 0.3
  done
  wait "$pip_child" || status=$?
  pip_child=''
  return "$status"
}

# fetch_wheel PIN SHA256 BYTES FILE: keeps a good file, replaces a bad one, tries twice.
fetch_wheel() {
  local pin=$1 sha=$2 bytes=$3 file=$4 folder attempt
  if [[ -e $downloads/$file ]]; then
    has_sha256 "$downloads/$file" "$sha" && return
    say "  $file is damaged and is fetched again"
    rm -f "$downloads/$file"
  fi
  [[ $offline == no ]] || fail "$file is not in the bundle, and --offline fetches nothing."
  find_pip
  for attempt in 1 2; do
    folder=$(mktemp -d "$downloads/.part.XXXXXX")
    if pip_download "$pin" "$sha" "$bytes" "$folder" && has_sha256 "$folder/$file" "$sha"; then
      progress "$pin" "$bytes" "$bytes" "$(human_bytes "$bytes")"
      finish_progress
      mv "$folder/$file" "$downloads/$file"
      rm -rf "$folder"
      return
    fi
    rm -rf "$folder"
    say "  $pin: attempt $attempt failed"
  done
  show_tail "$downloads/pip.log" 20
  fail "$pin could not be fetched with the sha256 written in packaging/bootstrap/wheels.txt."
}

# fetch_wheels GROUP
fetch_wheels() {
  local pin sha bytes file
  mkdir -p "$downloads"
  rm -rf "$downloads"/.part.*
  while read -r pin sha bytes file; do
    fetch_wheel "$pin" "$sha" "$bytes" "$file"
  done < <(wheels_of "$1")
}

# Sets torch_root, the folder that CMake gets. Only what is linked, loaded or included is unpacked.
ensure_torch() {
  local key file part
  torch_root=$cache/$(wheels_of torch | sed -n 's/^torch==\([^ ]*\) .*/torch-\1/p')
  key=$(wheels_key torch)
  [[ $(cat "$torch_root/complete" 2>/dev/null) == "$key" ]] && return
  rm -rf "$cache"/.unpack.*
  [[ $(uname -m) == x86_64 ]] || fail "LibTorch is pinned for x86_64 only; this machine is $(uname -m)."
  say 'Fetching LibTorch, which computes the embeddings:'
  fetch_wheels torch
  say '  unpacking LibTorch'
  part=$(mktemp -d "$cache/.unpack.XXXXXX")
  while read -r _ _ _ file; do
    case $file in
      torch-*)
        unzip -q "$downloads/$file" 'torch/include/*' 'torch/lib/libc10.so' 'torch/lib/libtorch_cpu.so' \
          'torch/lib/libtorch.so' 'torch/lib/libgomp.so.1' -d "$part"
        ;;
      *) unzip -q "$downloads/$file" 'nvidia/*/lib/*.so*' -d "$part" ;;
    esac
  done < <(wheels_of torch)
  printf '%s\n' "$key" >"$part/complete"
  chmod 755 "$part"
  rm -rf "$torch_root"
  mv "$part" "$torch_root"
}
