# shellcheck shell=bash
# The binaries of the previous release, which tests run together with those of this one. They are built once, from the commit
# that deploy/previous-release names.

prepare_previous() {
  local target=$1 name commit folder
  [[ -z ${HALYARD_WITHOUT_PREVIOUS:-} ]] || {
    say "HALYARD_WITHOUT_PREVIOUS is set: upgrades from the previous release are NOT tested"
    return 0
  }
  read -r name commit <"$root/deploy/previous-release"
  folder=$target/previous/$commit
  [[ ! -e $folder/complete ]] || return 0
  git -C "$root" cat-file -e "$commit^{commit}" 2>/dev/null ||
    die "this clone lacks $name ($commit): \`git fetch --unshallow\` gets it, HALYARD_WITHOUT_PREVIOUS=1 leaves its tests out"
  say "building $name, which upgrades are tested with"
  mkdir -p "$folder/source"
  git -C "$root" archive "$commit" | tar -xC "$folder/source"
  # Libraries are taken from this build, whose features `--examples` selects; only programs go to the folder.
  (cd "$folder/source" && CARGO_BUILD_BUILD_DIR=$target CARGO_TARGET_DIR=$folder CARGO_INCREMENTAL=0 \
    cargo build --workspace --bins --examples --locked) || return
  rm -rf "$folder/source"
  : >"$folder/complete"
}
