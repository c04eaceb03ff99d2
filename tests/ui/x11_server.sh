#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# x11_server.sh PROGRAM [ARGUMENT...]: runs a test in an X server of its own with two monitors side by side, 1280 pixels
# wide each; the right one has a scale factor of 1.5.
set -euo pipefail

work=$(mktemp -d "${TMPDIR:-/tmp}/bifocal-x11.XXXXXX")
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

export XAUTHORITY=$work/authority
touch "$XAUTHORITY"
mkfifo "$work/display"
Xvfb -displayfd 3 -noreset -screen 0 2560x1080x24 -nolisten tcp 3>"$work/display" >"$work/log" 2>&1 &
server=$!
read -r -t 20 display <"$work/display" || { cat "$work/log"; exit 1; }
export DISPLAY=:$display
xrandr --setmonitor left 1280/338x1080/286+0+0 screen
xrandr --setmonitor right 1280/338x1080/286+1280+0 none
export QT_QPA_PLATFORM=xcb QT_SCREEN_SCALE_FACTORS="1;1.5" XDG_RUNTIME_DIR=$work
"$@"
