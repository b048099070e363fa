# shellcheck shell=bash
# The tests of clients that are not written in Rust alone, at edges of their own: the one for browsers (clients/web: types, lints, size,
# and in Chromium where there is one), and the SDK for Python (clients/python: types, and the package as it is installed).

web_client=$root/clients/web
python_client=$root/clients/python

# With the programs in FOLDER.
test_clients() {
  local folder=$1 status=0
  [[ -z ${HALYARD_WITHOUT_CLIENTS:-} ]] || {
    say "HALYARD_WITHOUT_CLIENTS is set: clients/web and clients/python are NOT tested"
    return 0
  }
  (test_web_client "$folder") || status=1
  (test_python_client "$folder") || status=1
  return "$status"
}

test_web_client() {
  local folder=$1
  has_node || (install_node) || die "no node ≥ $oldest_node for clients/web; HALYARD_WITHOUT_CLIENTS=1 leaves its tests out"
  install_locked "$web_client" ||
    die "the packages of clients/web could not be installed; HALYARD_WITHOUT_CLIENTS=1 leaves its tests out"
  npm run --prefix "$web_client" --silent check || return
  npm run --prefix "$web_client" --silent build || return
  CHROMIUM=$(chromium_program) HALYARD_BIN_DIR=$folder npm run --prefix "$web_client" --silent test
}

# Builds a package as it is published, but with debug assertions, from what the tests of the workspace compiled and the vectors
# that they wrote.
test_python_client() {
  local folder=$1 target tools wheels
  target=$(target_dir)
  tools=$target/python-client
  wheels=$target/python-client-wheels
  install_once "$tools" "$python_client/requirements.txt" install_packages_of_python ||
    die "the packages of clients/python could not be installed ($tools.log); HALYARD_WITHOUT_CLIENTS=1 leaves its tests out"
  rm -rf "$wheels"
  cd "$python_client" || return
  export PYTHONDONTWRITEBYTECODE=1
  CARGO_TARGET_DIR=$target "$tools/bin/maturin" build --profile dev --locked --interpreter "$tools/bin/python" --out "$wheels" || return
  "$tools/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheels"/*.whl || return
  "$tools/bin/mypy" || return
  "$tools/bin/stubtest" halyard --allowlist tests/allowed.txt --mypy-config-file pyproject.toml || return
  HALYARD_BIN_DIR=$folder HALYARD_VECTORS=$target/tmp/vectors HALYARD_WHEEL=$(echo "$wheels"/*.whl) "$tools/bin/python" tests/run.py
}
