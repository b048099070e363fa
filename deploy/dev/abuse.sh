# shellcheck shell=bash
# What tenants could do to each other, tried on release builds beside a quiet tenant. Takes minutes, asserts nothing.

abuse_command() {
  need_toolchain
  cd "$root"
  with_lock "$state/abuse.lock" run_abuse "$@"
}

run_abuse() {
  local target
  target=$(target_dir)
  cargo build --workspace --bins --release --locked
  export HALYARD_BIN_DIR=$target/release
  if [[ -z ${TEST_DATABASE_URL:-} ]]; then
    # A durable one: on the tests' own a commit costs nothing, and writes would look better than they are.
    # shellcheck disable=SC2064  # the path is known now
    trap "postgres_stop '$state/abuse-postgres'" EXIT
    TEST_DATABASE_URL=$(postgres_start "$state/abuse-postgres" durable)
    export TEST_DATABASE_URL
  fi
  cargo bench --package tests --bench abuse --profile release --locked -- "$@"
}
