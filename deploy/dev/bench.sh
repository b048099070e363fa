# shellcheck shell=bash
# What answers, changes and memory cost, measured on release builds beside a reference server. Takes minutes, asserts nothing.

bench_command() {
  need_toolchain
  cd "$root"
  with_lock "$state/bench.lock" run_bench "$@"
}

run_bench() {
  local target
  target=$(target_dir)
  # A workspace of its own, which needs none of the rest.
  if [[ $# -eq 1 && $1 == peer-sdks ]]; then
    bench_sdks "$target"
    return
  fi
  has taskset || apt_install util-linux
  # One command, so that what is shipped, what it is compared with and what loads both are built in the same way.
  cargo build --workspace --bins --features tests/bench --release --locked
  export HALYARD_BIN_DIR=$target/release
  # Unleash's proxy, which is asked the same.
  if install_once "$target/bench-peers/proxy" "$root/tests/bench/proxy/package-lock.json" install_packages_of_node; then
    export HALYARD_BENCH_PEERS=$target/bench-peers
  else
    say "SKIPPED: NOT compared with Unleash's proxy, whose packages npm could not install ($target/bench-peers/*.log)"
  fi
  if [[ -z ${TEST_DATABASE_URL:-} ]]; then
    # A durable one: on the tests' own a commit costs nothing.
    # shellcheck disable=SC2064  # the path is known now
    trap "postgres_stop '$state/bench-postgres'" EXIT
    TEST_DATABASE_URL=$(postgres_start "$state/bench-postgres" durable)
    export TEST_DATABASE_URL
  fi
  "$target/release/bench" "$@"
  [[ $# -gt 0 && $1 != all ]] || bench_sdks "$target"
}

# The Rust SDK beside those of others, in one process.
bench_sdks() {
  cargo run --manifest-path "$root/tests/bench/sdks/Cargo.toml" --target-dir "$1" --release --locked
}
