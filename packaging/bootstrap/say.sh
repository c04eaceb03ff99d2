# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What a person sees while the machine is prepared: sentences, one progress line, and clear ends. All of it goes to
# standard error, so that standard output belongs to the program that is started.

say() {
  finish_progress
  printf '%s\n' "$*" >&2
}

fail() {
  say "bifocal: $*"
  exit 1
}

progress_label=''
progress_step=-1
progress_open=no

# progress LABEL DONE TOTAL [DETAIL]: a rewritten line on a terminal, otherwise one line at every 5 %.
progress() {
  local label=$1 done=$2 total=$3 detail=${4:-} percent step
  percent=$((total > 0 ? 100 * done / total : 0))
  if [[ -t 2 ]]; then
    printf '\r  %s %3d %%  %.60s\e[K' "$label" "$percent" "$detail" >&2
    progress_open=yes
    return
  fi
  if [[ $label != "$progress_label" ]]; then
    progress_label=$label
    progress_step=-1
  fi
  step=$((percent / 5))
  if ((step > progress_step)); then
    progress_step=$step
    printf '  %s %3d %%  %s\n' "$label" "$percent" "$detail" >&2
  fi
}

finish_progress() {
  if [[ $progress_open == yes ]]; then
    printf '\n' >&2
    progress_open=no
  fi
  progress_label=''
}

# step NAME COMMAND...: a step of the set-up; says how long it took when a person will have noticed.
step() {
  local name=$1 begun=$SECONDS
  shift
  "$@"
  ((SECONDS - begun < 2)) || say "  $name took $((SECONDS - begun)) s"
}

# The first errors and the last lines of a log, indented, for a failure that a person must be able to understand.
show_tail() {
  local file=$1 lines=$2
  finish_progress
  {
    grep -m 10 -E '^(E:|Err:|dpkg: error|FAILED:)|[Ee]rror: ' "$file" || true
    echo '...'
    tail -n "$lines" "$file"
  } | sed 's/^/    /' >&2
  printf '  (the whole log: %s)\n' "$file" >&2
}

human_bytes() {
  local bytes=$1
  if ((bytes >= 1000000)); then
    printf '%d MB' $(((bytes + 500000) / 1000000))
  else
    printf '%d kB' $(((bytes + 999) / 1000))
  fi
}
