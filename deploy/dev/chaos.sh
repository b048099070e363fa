# shellcheck shell=bash
# Faults at random moments at all processes under load, for as many rounds as wanted, and what came of it.

chaos_command() {
  need_toolchain
  cd "$root"
  with_lock "$state/chaos.lock" run_chaos "$@"
}

# chaos [ROUNDS [SEED]]: ten rounds share their processes, and the next ten have the next seed.
run_chaos() {
  local target
  target=$(target_dir)
  prepare_faketime "$target/faketime"
  name_faketime "$target/faketime"
  cargo build --workspace --bins --locked
  export HALYARD_BIN_DIR=$target/debug HALYARD_CHAOS_ROUNDS=${1:-100} HALYARD_CHAOS_SEED=${2:-$RANDOM}
  export HALYARD_TEST_PATIENCE=${HALYARD_TEST_PATIENCE:-60}
  if [[ -z ${TEST_DATABASE_URL:-} ]]; then
    # shellcheck disable=SC2064  # the path is known now
    trap "postgres_stop '$target/test-postgres'" EXIT
    postgres_start "$target/test-postgres" fast >/dev/null
  fi
  cargo test --package tests --test e2e --locked -- chaos:: --nocapture
}

# A library that has a process see another time. Unpacked, not installed.
prepare_faketime() {
  local folder=$1
  [[ -z ${HALYARD_WITHOUT_FAKETIME:-} && ! -e $folder/library ]] || return 0
  mkdir -p "$folder"
  (fetch_faketime "$folder") >"$folder/log" 2>&1 9>&- || {
    rm -f "$folder/library"
    say "SKIPPED: clocks will NOT jump, since libfaketime could not be fetched ($folder/log)"
  }
}

fetch_faketime() {
  has apt-get || return
  cd "$1"
  apt_get update
  apt_get -q download libfaketime && dpkg-deb -x libfaketime_*.deb . &&
    ln -sf "$(echo "$PWD"/usr/lib/*/faketime/libfaketimeMT.so.1)" library &&
    LD_PRELOAD=$PWD/library FAKETIME=+1h date
}

name_faketime() {
  [[ -n ${HALYARD_WITHOUT_FAKETIME:-} || ! -e $1/library ]] || export HALYARD_FAKETIME=$1/library
}
