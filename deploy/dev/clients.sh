# shellcheck shell=bash
# The tests of clients that are not written in Rust alone, at edges of their own: for browsers (clients/web), Python (clients/python) and
# Node.js (clients/node). Types, lints, size, the package as it is installed, and in Chromium where there is one.

web_client=$root/clients/web
python_client=$root/clients/python
node_client=$root/clients/node

# With the programs in FOLDER.
test_clients() {
  local folder=$1 status=0
  [[ -z ${HALYARD_WITHOUT_CLIENTS:-} ]] || {
    say "HALYARD_WITHOUT_CLIENTS is set: the clients are NOT tested"
    return 0
  }
  has_node || (install_node) || die "no node ≥ $oldest_node for the clients; HALYARD_WITHOUT_CLIENTS=1 leaves their tests out"
  (test_web_client "$folder") || status=1
  (test_python_client "$folder") || status=1
  (test_node_client "$folder") || status=1
  return "$status"
}

test_web_client() {
  local folder=$1
  install_client "$web_client"
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

# On the vectors that a test of clients/rust has written.
test_node_client() {
  local folder=$1 target
  target=$(target_dir)
  install_client "$node_client"
  # With the tests and all else: alone it would be compiled with other features of what it depends on, most of it again.
  cargo build --workspace --lib --tests --locked || return
  npm run --prefix "$node_client" --silent check || return
  npm run --prefix "$node_client" --silent build -- --from "$target/debug" || return
  HALYARD_BIN_DIR=$folder HALYARD_VECTORS=$target/tmp/vectors npm run --prefix "$node_client" --silent test
}

install_client() {
  install_locked "$1" ||
    die "the packages of ${1#"$root/"} could not be installed; HALYARD_WITHOUT_CLIENTS=1 leaves the tests of clients out"
}
