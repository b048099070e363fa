# shellcheck shell=bash
# Drives a running service by the OpenFeature providers that others publish, for JavaScript and Python. Not part of
# `test`: it needs node, python3 and packages of theirs, which a fresh machine may be unable to get.

ofrep_command() {
  (($# == 0)) || die "usage: ./dev ofrep"
  has npm || die "node 20 or newer with npm is needed"
  has python3 || die "python3 (3.10 or newer) is needed"
  need_toolchain
  # A service and a database of its own: those of `up` are left alone.
  state=$state/ofrep
  unset DATABASE_URL
  with_lock "$state/lock" run_ofrep
}

# In a process of its own, where nothing is set for the other one.
start_files_edge() (
  export EDGE_HTTP_ADDR=$3 EDGE_ADMIN_ADDR=127.0.0.1:0 EDGE_FLAGS_KEYS=dev=$HALYARD_API_KEY
  unset EDGE_UPSTREAM EDGE_IDENTITY EDGE_CACHE_DIR
  service_ensure files-edge "$1/halyard-edge" --flags "$2"
  service_await files-edge curl --silent --fail "http://$3/health"
)

run_ofrep() {
  local drivers=$state/drivers bin=${HALYARD_BIN_DIR:-} status=0
  forget_all
  trap 'service_stop files-edge; stop_all' EXIT
  if [[ -z $bin ]]; then
    (cd "$root" && cargo build --workspace --bins --locked)
    bin=$(target_dir)/debug
  fi
  start_built "$bin"

  say "installing the providers"
  mkdir -p "$drivers"
  cp -R "$root/tests/ofrep/." "$drivers"
  (cd "$drivers" && npm ci --no-audit --no-fund --loglevel=error) >&2
  python3 -m venv "$drivers/venv" || die "python3 lacks venv (on Debian: python3-venv)"
  "$drivers/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    --requirement "$drivers/requirements.txt" >&2

  set -a
  # shellcheck source=/dev/null
  . "$state/env"
  set +a
  export HALYARD_FILES_URL=http://127.0.0.1:$(free_port)
  start_files_edge "$bin" "$drivers/flags.yaml" "${HALYARD_FILES_URL#http://}"
  say "JavaScript: the providers for servers and for browsers"
  (cd "$drivers" && npm test --silent) || status=1
  say "Python"
  "$drivers/venv/bin/python" "$drivers/test_ofrep.py" --verbose || status=1
  return "$status"
}
