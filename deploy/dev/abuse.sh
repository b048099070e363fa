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
  cargo bench --package tests --bench abuse --profile dev --locked -- "$@"
}
