# shellcheck shell=bash
# Every test, with all they need: the binaries that the end-to-end tests start, those of the previous release, a PostgreSQL server,
# and programs of others that they are held against; then those in a browser.

test_command() {
  (($# <= 1)) || die "usage: ./dev test [FILTER]"
  need_toolchain
  cd "$root"
  with_lock "$state/test.lock" run_tests "${1:-}"
}

run_tests() {
  local filter=$1 target results status=0 untested= again= processors preparing
  target=$(target_dir)
  results=$target/test-results
  mkdir -p "$target"
  export HALYARD_BIN_DIR=$target/debug
  # Beside the compiler, since packages are mostly waited for.
  (prepare_all_else "$target" "$filter" 9>&-) &
  preparing=$!
  # At once: by themselves the binaries would be compiled with other features of what they depend on, most of it twice.
  cargo build --workspace --bins --tests --locked || status=1
  wait "$preparing"
  ((status == 0)) || return 1
  # After this build, whose libraries it uses.
  prepare_previous "$target" || return 1
  name_what_is_prepared "$target"
  if [[ -z ${TEST_DATABASE_URL:-} ]]; then
    # The tests look for it there; the folder is the one that the harness would use by itself.
    # shellcheck disable=SC2064  # the path is known now
    trap "postgres_stop '$target/test-postgres'" EXIT
    postgres_start "$target/test-postgres" fast >/dev/null
  fi

  : >"$results"
  if has cargo-nextest; then
    # Most tests wait for the database and some for time to pass; those with processes of their own wait longest.
    processors=$(getconf _NPROCESSORS_ONLN)
    run_with_nextest "$results" "not binary(e2e) and (not binary_id(tests::api) or $(names_alone))" "$filter" \
      --test-threads $(((3 * processors + 1) / 2)) || status=1
    run_api_tests_together "$results" "$filter" $((2 * processors)) || status=1
    run_with_nextest "$results" 'binary(e2e)' "$filter" --test-threads $((2 * processors)) || status=1
    if ((status != 0)) && [[ -z $filter ]] && again=$(try_again "$target" "$results"); then
      status=0
    fi
  else
    run_tests_into "$results" cargo test --workspace --lib --bins --tests --locked --no-fail-fast \
      -- ${filter:+"$filter"} || status=1
  fi
  run_tests_into "$results" cargo test --workspace --doc --locked --no-fail-fast \
    -- ${filter:+"$filter"} || status=1
  [[ -n $filter ]] || run_tests_into "$results" test_images "$HALYARD_BIN_DIR" || status=1
  [[ -n $filter ]] || run_tests_into "$results" test_clients "$HALYARD_BIN_DIR" || status=1

  if are_browser_tests_wanted "$filter"; then
    untested=$(<"$target/browser-tests-missing")
    if [[ -n $untested ]]; then
      [[ ${HALYARD_BROWSER_TESTS:-} != required ]] || status=1
    else
      run_tests_into "$results" run_browser_tests "$HALYARD_BIN_DIR" "" || status=1
    fi
  fi
  summarize "$results" "$filter" "$untested" "$again" || status=1
  return "$status"
}

# Installs what the tests need besides binaries.
prepare_all_else() {
  local target=$1 filter=$2
  prepare_gateway_peers "$target/gateway-peers"
  prepare_peers "$target"
  prepare_proxies "$target/proxies"
  prepare_platforms "$target/platforms"
  prepare_machine "$target/machine"
  prepare_faketime "$target/faketime"
  if are_browser_tests_wanted "$filter"; then
    prepare_browser_tests >"$target/browser-tests-missing"
  fi
}

are_browser_tests_wanted() {
  [[ -z $1 && ${HALYARD_BROWSER_TESTS:-} != never ]]
}

# Where the tests look for what was installed.
name_what_is_prepared() {
  local target=$1
  export HALYARD_GATEWAY_PEERS=$target/gateway-peers
  [[ -n ${HALYARD_WITHOUT_SCIM_TESTER:-} ]] || export HALYARD_SCIM_TESTER=$target/scim-tester
  [[ -n ${HALYARD_WITHOUT_PROXIES:-} ]] || export HALYARD_PROXIES=$target/proxies
  [[ -n ${HALYARD_WITHOUT_PLATFORMS:-} ]] || export HALYARD_PLATFORMS=$target/platforms
  [[ -n ${HALYARD_WITHOUT_OIDC:-} ]] || export HALYARD_OIDC=$target/oidc
  [[ -n ${HALYARD_WITHOUT_MACHINE:-} || ! -e $target/machine/boots ]] || export HALYARD_MACHINE=$target/machine/root
  [[ -n ${HALYARD_WITHOUT_GO:-} ]] || export HALYARD_GO=$target/go
  name_faketime "$target/faketime"
}

# Tests of the API that look at what their whole process has counted, or whose output is wanted also where they pass.
alone=(publish::crowd:: publish::left_out:: scim2_tester_finds_no_fault halyard_answers_as_)

# The others share a process: what each would make for itself (the API document, its schemas, patterns, roots of trust) is a third
# of what a test of the API costs.
run_api_tests_together() {
  local results=$1 filter=$2 threads=$3 name skipped=()
  for name in "${alone[@]}"; do
    skipped+=(--skip "$name")
  done
  run_tests_into "$results" cargo test --workspace --test api --locked -- \
    --test-threads "$threads" "${skipped[@]}" ${filter:+"$filter"}
}

# As nextest selects them.
names_alone() {
  local name separator=
  for name in "${alone[@]}"; do
    printf '%stest(%s)' "$separator" "$name"
    separator=' or '
  done
}

run_with_nextest() {
  local results=$1 expression=$2 filter=$3
  shift 3
  run_tests_into "$results" cargo nextest run --workspace --locked --no-fail-fast --no-tests pass \
    --filterset "$expression" "$@" ${filter:+"$filter"}
}

# Runs what failed once more, with nothing beside it, if that is little: some tests look at how long something takes, on a machine
# that may be busy with others' work. Prints the names of those that pass then, which the closing line has too.
try_again() {
  local target=$1 results=$2 most=5 names count expression
  names=$(failed_names "$results")
  count=$(wc -w <<<"$names")
  ((count > 0 && count <= most && count == $(sum_of failed "$results"))) || return 1
  expression=$(sed 's/.*/test(=&)/' <<<"$names" | paste -s -d '|' -)
  run_with_nextest "$target/test-results-again" "$expression" "" --test-threads 1 >&2 || return 1
  paste -s -d ' ' - <<<"$names"
}

# As the runners print them; each once.
failed_names() {
  sed $'s/\x1b\\[[0-9;]*m//g' "$1" | sed -n -E \
    -e 's/^test ([a-z0-9_:]+) \.\.\. FAILED$/\1/p' \
    -e 's/^ +(FAIL|TIMEOUT|SIG[A-Z]+) \[[^]]*\] (\([^)]*\) )?[^ ]+ ([a-z0-9_:]+)$/\3/p' | sort -u
}

run_tests_into() {
  local results=$1
  shift
  "$@" 2>&1 9>&- | tee -a "$results"
}

# Adds up what the runners said (nextest's summary, the results of cargo and of the browser tests) into one closing line.
# Nothing run at all is a failure too: a filter that matches nothing must not look like success.
summarize() {
  local results=$1 filter=$2 untested=$3 again=$4 passed failed tried
  passed=$(sum_of passed "$results")
  failed=$(sum_of failed "$results")
  tried=$(wc -w <<<"$again")
  passed=$((passed + tried))
  failed=$((failed - tried))
  if ((passed + failed == 0)); then
    say "no test was run${filter:+: nothing matches $filter}"
    return 1
  fi
  echo
  echo "$passed passed, $failed failed${again:+; passed only when run again alone: $again}${untested:+; browser tests not run: $untested}"
  ((failed == 0))
}

sum_of() {
  sed $'s/\x1b\\[[0-9;]*m//g' "$2" |
    sed -n -E "/^ *Summary |^test result: /s/.*[^0-9]([0-9]+) $1.*/\1/p" |
    awk '{sum += $1} END {print sum + 0}'
}
