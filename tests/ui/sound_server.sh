#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sound_server.sh PROGRAM [ARGUMENT...]: runs a test beside a sound server of its own. What is played into the sink "played"
# is what its only microphone, "spoken", hears. The test plugs the microphone in and out with pactl.
set -euo pipefail

work=$(mktemp -d "${TMPDIR:-/tmp}/bifocal-sound.XXXXXX")
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

export XDG_RUNTIME_DIR=$work PULSE_RUNTIME_PATH=$work/pulse PULSE_STATE_PATH=$work/state PULSE_COOKIE=$work/cookie
export PULSE_SERVER=unix:$work/pulse/native
mkdir -p "$work/pulse" "$work/state"
pulseaudio -n --daemonize=no --use-pid-file=no --exit-idle-time=-1 \
  -L "module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 srbchannel=0 socket=$work/pulse/native" \
  -L "module-null-sink sink_name=played norewinds=1 rate=48000 channels=2" >"$work/log" 2>&1 &
server=$!
for _ in {1..100}; do
  pactl info >/dev/null 2>&1 && break
  kill -0 "$server" 2>/dev/null || { cat "$work/log"; exit 1; }
  sleep 0.1
done
pactl set-default-sink played
"$@"
