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
  cargo build --workspace --bins --locked
  export HALYARD_BIN_DIR=$target/debug HALYARD_CHAOS_ROUNDS=${1:-100} HALYARD_CHAOS_SEED=${2:-$RANDOM}
  if [[ -z ${TEST_DATABASE_URL:-} ]]; then
    # shellcheck disable=SC2064  # the path is known now
    trap "postgres_stop '$target/test-postgres'" EXIT
    postgres_start "$target/test-postgres" fast >/dev/null
  fi
  cargo test --package tests --test e2e --locked -- chaos:: --nocapture
}
