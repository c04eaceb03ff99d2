# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Debian packages: finds what is missing, says why it is wanted, installs it.

packages_list=$root/packaging/bootstrap/packages.txt

# packages_of GROUP...: the names in these groups.
packages_of() {
  awk -v groups=" $* " '/^[^#]/ && index(groups, " " $1 " ") { print $2 }' "$packages_list"
}

# missing_packages NAME...: those that dpkg does not have installed.
missing_packages() {
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | sort -u)
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    sudo "$@"
  fi
}

# One apt-get call: quiet, asks nothing, waits for another package manager to finish, reports progress on its output.
# The status channel is a duplicate of it, made behind sudo: sudo closes all but the first three, and apt keeps the one it
# is given from its children, which need theirs.
apt_call() {
  local settings=(DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8) name
  for name in http_proxy https_proxy no_proxy; do
    [[ -v $name ]] && settings+=("$name=${!name}")
  done
  # shellcheck disable=SC2016 # expanded by the inner shell
  as_root env "${settings[@]}" sh -c 'exec apt-get "$@" 3>&1' apt-get -q -y --no-install-recommends \
    -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 -o APT::Status-Fd=3 "${apt_options[@]}" "$@" </dev/null
}

# Keeps apt's log and turns its status lines (kind:package:percent:sentence) into the progress line.
show_apt_progress() {
  local line kind percent detail
  while IFS= read -r line; do
    case $line in
      dlstatus:* | pmstatus:*)
        IFS=: read -r kind _ percent detail <<<"$line"
        [[ $kind == dlstatus ]] && kind='packages: download' || kind='packages: install '
        progress "$kind" "${percent%%.*}" 100 "$detail"
        ;;
      *) printf '%s\n' "$line" >>"$cache/apt.log" ;;
    esac
  done
  finish_progress
}

apt_with_progress() {
  apt_call "$@" 2>&1 | show_apt_progress
}

apt_update() {
  say '  fetching the lists of packages'
  apt_with_progress update && return
  show_tail "$cache/apt.log" 15
  fail 'apt-get update failed.'
}

# The lists of what exists are fetched only when a wanted package is unknown or its file is gone.
apt_install() {
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    fail "neither root nor sudo is at hand. As root: apt-get install --no-install-recommends $*"
  fi
  : >"$cache/apt.log"
  if ! apt-get -s "${apt_options[@]}" --no-install-recommends install "$@" >/dev/null 2>&1; then
    apt_update
  fi
  apt_with_progress install "$@" && return
  say '  apt-get install failed; once more with fresh lists'
  apt_update
  apt_with_progress install "$@" && return
  show_tail "$cache/apt.log" 40
  fail 'the Debian packages above could not be installed.'
}

# ensure_packages GROUP...
ensure_packages() {
  local names missing name
  mapfile -t names < <(packages_of "$@")
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This is not a Debian machine: ${names[*]} (or what they are called here) must be there already."
    return
  fi
  mapfile -t missing < <(missing_packages "${names[@]}")
  ((${#missing[@]})) || return 0
  say "Installing ${#missing[@]} Debian packages and what they depend on:"
  for name in "${missing[@]}"; do
    awk -v name="$name" '$2 == name { $1 = ""; $2 = ""; sub(/^ +/, ""); printf "  %-24s %s\n", name, $0; exit }' \
      "$packages_list" >&2
  done
  apt_install "${missing[@]}"
}
