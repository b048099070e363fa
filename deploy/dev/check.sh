# shellcheck shell=bash
# What must hold besides the tests. Every step runs, so that one failure does not hide another.

check_command() {
  local failed=() folder name others
  need_toolchain
  cd "$root"
  folder=$(mktemp -d)
  # Beside the compiler, which has one crate at a time for much of its time.
  check_all_else "$folder/failed" >"$folder/said" 2>&1 &
  others=$!
  check_step formatting cargo fmt --all --check
  check_step "lints and query data" check_lints_and_query_data
  check_step documentation check_documentation
  wait "$others" || failed+=("what does not need the compiler")
  cat "$folder/said" >&2
  while read -r name; do
    failed+=("$name")
  done <"$folder/failed"
  rm -rf "$folder"
  if ((${#failed[@]} > 0)); then
    die "failed: $(printf '%s, ' "${failed[@]}" | sed 's/, $//')"
  fi
  say "all checks passed"
}

# Leaves the names of the steps that failed in a file.
check_all_else() {
  local failed=()
  : >"$1"
  check_step "alerts and dashboards" check_observability
  if has npm; then
    check_step dashboard check_dashboard
  fi
  check_step "containers and charts" check_deployment
  if has apt-get; then
    check_step "systemd units" check_units
  fi
  check_step proxies check_proxies
  if has shellcheck; then
    check_step "shell scripts" shellcheck --external-sources dev .ci/run
  fi
  ((${#failed[@]} == 0)) || printf '%s\n' "${failed[@]}" >"$1"
}

# Runs one step in a shell of its own; remembers its name when it fails.
check_step() {
  local name=$1 status=0
  shift
  say "checking: $name"
  # Not in a condition: there `set -e` would be off inside of the step.
  set +e
  (
    set -e
    "$@"
  )
  status=$?
  set -e
  ((status == 0)) || failed+=("$name")
}

check_documentation() {
  # With the features of the lints, for which most of what it needs was checked already.
  RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --features tests/bench --locked --quiet
}

# Together: the control plane is compiled once for both.
check_lints_and_query_data() {
  local fresh
  fresh=$(target_dir)/sqlx-fresh
  write_query_data "$fresh" \
    cargo clippy --workspace --all-targets --features tests/bench --locked --quiet -- -D warnings
  diff -r "$root/control-plane/.sqlx" "$fresh" >&2 || die "control-plane/.sqlx is stale: run ./dev sqlx"
}
