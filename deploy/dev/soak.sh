# shellcheck shell=bash
# What comes and goes, for an hour, and whether anything grows meanwhile.

soak_command() {
  (($# <= 1)) || die "usage: ./dev soak [MINUTES]"
  need_toolchain
  cd "$root"
  with_lock "$state/soak.lock" run_soak "$@"
}

run_soak() {
  local target
  target=$(target_dir)
  cargo build --workspace --bins --locked
  export HALYARD_BIN_DIR=$target/debug HALYARD_SOAK_MINUTES=${1:-60}
  export HALYARD_TEST_PATIENCE=${HALYARD_TEST_PATIENCE:-60}
  if [[ -z ${TEST_DATABASE_URL:-} ]]; then
    # shellcheck disable=SC2064  # the path is known now
    trap "postgres_stop '$target/test-postgres'" EXIT
    postgres_start "$target/test-postgres" fast >/dev/null
  fi
  cargo test --package tests --test e2e --locked -- soak::nothing_grows --nocapture
}
