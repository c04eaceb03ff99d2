# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A folder that holds every download, made on one machine and used on another that has no network:
#   debs/   a small Debian repository with everything a bare Debian 12 lacks
#   wheels/ the pinned wheels
#   SHA256SUMS

# Downloads the packages with all that they depend on, as if nothing were installed here.
bundle_packages() {
  local target=$1 work names
  mapfile -t names < <(packages_of run tour test)
  work=$(mktemp -d "$cache/.bundle.XXXXXX")
  : >"$work/status"
  mkdir -p "$target/partial"
  : >"$cache/apt.log"
  local options=(-o Dir::State::status="$work/status" -o Dir::State::extended_states="$work/extended"
    -o Dir::Cache::archives="$target" -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o APT::Keep-Downloaded-Packages=true)
  if ! apt-get -s "${options[@]}" --no-install-recommends install "${names[@]}" >/dev/null 2>>"$cache/apt.log"; then
    apt_update
  fi
  if ! apt-get -q -y --no-install-recommends "${options[@]}" --download-only install "${names[@]}" \
    >>"$cache/apt.log" 2>&1 </dev/null; then
    show_tail "$cache/apt.log" 20
    fail 'the Debian packages could not be collected.'
  fi
  rm -rf "$work" "$target/partial" "$target/lock"
}

# The index that makes a folder of .deb files a repository.
index_packages() {
  local folder=$1 deb
  for deb in "$folder"/*.deb; do
    dpkg-deb --field "$deb"
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "${deb##*/}" "$(stat -c %s "$deb")" \
      "$(sha256sum "$deb" | cut -d ' ' -f 1)"
  done >"$folder/Packages"
}

make_bundle() {
  local target=$1 group file
  mkdir -p "$target/debs" "$target/wheels"
  if ! /usr/bin/python3 -m pip --version >/dev/null 2>&1; then
    say 'Installing python3-pip, which fetches the pinned wheels:'
    apt_install python3-pip
  fi
  say 'Collecting the pinned wheels:'
  for group in torch pack speech; do
    fetch_wheels "$group"
    while read -r _ _ _ file; do
      cp --reflink=auto "$downloads/$file" "$target/wheels/"
    done < <(wheels_of "$group")
  done
  say 'Collecting the Debian packages, with all that they depend on:'
  bundle_packages "$target/debs"
  index_packages "$target/debs"
  (cd "$target" && find debs wheels -type f | sort | xargs -d '\n' sha256sum) >"$target/SHA256SUMS"
  say "$target: $(find "$target" -name '*.deb' | wc -l) packages, $(find "$target" -name '*.whl' | wc -l) wheels," \
    "$(human_bytes "$(du -sb "$target" | cut -f 1)"). On the other machine: ./run --offline DIR"
}

# Makes the rest of the set-up read from the bundle only: apt knows no other source, pip is not called.
use_bundle() {
  local source=$1 work=$cache/offline
  [[ -e $source/SHA256SUMS ]] || fail "$source is not a bundle (no SHA256SUMS in it)."
  say "Checking $source"
  (cd "$source" && sha256sum --check --quiet SHA256SUMS >&2) || fail "$source is damaged."
  mkdir -p "$downloads" "$work/lists/partial"
  cp --reflink=auto --update "$source"/wheels/*.whl "$downloads/"
  # The bundle's own checksums were checked above; it carries no signature of Debian's.
  printf 'deb [trusted=yes] file:%s ./\n' "${source// /%20}/debs" >"$work/sources.list"
  apt_options=(-o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State::lists="$work/lists" -o APT::Sandbox::User=root)
}
