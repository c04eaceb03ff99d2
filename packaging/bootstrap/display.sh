# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# An X server of our own, on a free display number, that only we may enter and that ends with us.

# with_own_display COMMAND...: the command's exit status.
with_own_display() {
  (
    folder=$(mktemp -d "${TMPDIR:-/tmp}/bifocal-display.XXXXXX")
    server=''
    trap '[[ -z $server ]] || { kill "$server" && wait "$server"; } 2>/dev/null; rm -rf "$folder"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    cookie=$(od -An -N 16 -tx1 /dev/urandom | tr -d ' \n')
    export XAUTHORITY=$folder/authority
    mkfifo "$folder/number"
    xauth -q add :0 . "$cookie" 2>/dev/null
    exec 3<>"$folder/number"
    Xvfb -displayfd 3 -screen 0 1440x900x24 -nolisten tcp -auth "$XAUTHORITY" >"$folder/log" 2>&1 </dev/null &
    server=$!
    if ! read -r -t 30 number <&3; then
      show_tail "$folder/log" 20
      fail 'Xvfb, the X server without a screen, did not start.'
    fi
    exec 3>&-
    xauth -q add ":$number" . "$cookie"
    env -u WAYLAND_DISPLAY DISPLAY=":$number" QT_QPA_PLATFORM=xcb "$@"
  )
}
