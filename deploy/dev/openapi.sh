# shellcheck shell=bash
# Makes clients of docs/openapi.json with generators that others publish, for TypeScript and Python, and lives a flag's life with
# each on a running service. Not part of `test`: it needs node, python3 and packages that a fresh machine may be unable to get.

openapi_command() {
  (($# == 0)) || die "usage: ./dev openapi"
  has npm || die "node 20 or newer with npm is needed"
  has python3 || die "python3 (3.11 or newer) is needed"
  need_toolchain
  # A service and a database of its own: those of `up` are left alone.
  state=$state/openapi
  unset DATABASE_URL
  with_lock "$state/lock" run_openapi
}

run_openapi() {
  local clients=$state/clients status=0
  forget_all
  trap stop_all EXIT
  start_all debug

  say "installing the generators"
  mkdir -p "$clients"
  cp -R "$root/tests/openapi/." "$clients"
  cp "$root/docs/openapi.json" "$clients"
  (cd "$clients" && npm ci --no-audit --no-fund --loglevel=error) >&2
  python3 -m venv "$clients/venv" || die "python3 lacks venv (on Debian: python3-venv)"
  "$clients/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    --requirement "$clients/requirements.txt" >&2

  set -a
  # shellcheck source=/dev/null
  . "$state/env"
  set +a
  say "TypeScript: generating, checking the types, using it"
  (cd "$clients" && npm run --silent generate >&2 && npm run --silent check && npm run --silent build &&
    npm test --silent) || status=1
  say "Python: generating, using it"
  (cd "$clients" && use_python_client) || status=1
  return "$status"
}

# The generator warns of what it leaves out, and that is a failure: all of the document has to be usable.
use_python_client() {
  rm -rf generated
  venv/bin/openapi-python-client generate --path openapi.json --config python.yaml --meta none \
    --output-path generated/halyard_client --fail-on-warning >&2
  PYTHONPATH=generated venv/bin/python flag.py
}
