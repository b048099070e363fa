# shellcheck shell=bash
# Worlds of control planes, relays, edges and their network, each driven by one seed (tests/world/).

# world [A..B]: those of these seeds. world faults [NAME]: whether faults that were put back are found.
world_command() {
  need_toolchain
  cd "$root"
  if [[ ${1:-} == faults ]]; then
    with_lock "$state/world.lock" find_faults "${2:-}"
  else
    HALYARD_WORLD_SEEDS=${1:-0..100000} cargo test --locked --package world -- --nocapture
  fi
}

# In a copy of the tree, with a target folder of its own: both are where cargo would take each other's results for its own.
find_faults() {
  local copy patch name said target missed=
  target=$(target_dir)/world
  copy=$target/tree
  rm -rf "$copy"
  mkdir -p "$copy"
  # As if all of it were new: it may be older than what was compiled of the last copy.
  git ls-files -z --cached | tar --create --null --files-from=- | tar --extract --touch --directory "$copy"
  cd "$copy"
  for patch in "$root"/tests/world/faults/*"$1"*.patch; do
    [[ -e $patch ]] || die "no fault: $1"
    name=$(basename "$patch" .patch)
    patch --silent --strip 1 <"$patch"
    said=$(HALYARD_WORLD_FIRST=1 HALYARD_WORLD_SEEDS=0..300 CARGO_TARGET_DIR=$target cargo test --locked --package world -- --nocapture 2>&1) || true
    said=$(grep -o 'seeds \[[0-9, ]*\] of [0-9.]* failed\|^error.*\|test result: ok' <<<"$said" | head -n 1) || true
    [[ $said == seeds* ]] || missed+=" $name"
    say "$name: $said"
    patch --silent --strip 1 --reverse <"$patch"
  done
  [[ -z $missed ]] || die "not found:$missed"
}
