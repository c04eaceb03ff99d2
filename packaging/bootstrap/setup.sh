# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What ./run, ./test and .ci/run share: where things are, and the steps in files of their own.

root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${BIFOCAL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/bifocal} # downloads, LibTorch, compiled objects
data=${XDG_DATA_HOME:-$HOME/.local/share}/bifocal               # the library and the models
packs=$data/packs
stamps=/usr/share/tuxpaint/stamps # the demo collection
offline=no                        # yes: everything comes from a bundle
strict=no                         # yes: our compiler warnings are errors
apt_options=()                    # where apt looks, when it is not the machine's own sources

# shellcheck source=packaging/bootstrap/say.sh
source "$root/packaging/bootstrap/say.sh"
# shellcheck source=packaging/bootstrap/packages.sh
source "$root/packaging/bootstrap/packages.sh"
# shellcheck source=packaging/bootstrap/wheels.sh
source "$root/packaging/bootstrap/wheels.sh"
# shellcheck source=packaging/bootstrap/build.sh
source "$root/packaging/bootstrap/build.sh"
# shellcheck source=packaging/bootstrap/prepare.sh
source "$root/packaging/bootstrap/prepare.sh"
# shellcheck source=packaging/bootstrap/display.sh
source "$root/packaging/bootstrap/display.sh"
# shellcheck source=packaging/bootstrap/bundle.sh
source "$root/packaging/bootstrap/bundle.sh"

# One set-up at a time for one cache: a second one waits for the first.
lock_cache() {
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock --nonblock 9 && return
  say 'Another set-up is running; waiting for it.'
  flock 9
}

unlock_cache() {
  exec 9>&-
}
