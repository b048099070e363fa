# shellcheck shell=bash
# The tests of the client for browsers (clients/web), at edges of their own: types, lints, size, and in Chromium where there is one.

web_client=$root/clients/web

# With the programs in FOLDER.
test_clients() {
  local folder=$1
  [[ -z ${HALYARD_WITHOUT_CLIENTS:-} ]] || {
    say "HALYARD_WITHOUT_CLIENTS is set: clients/web is NOT tested"
    return 0
  }
  has_node || (install_node) || die "no node ≥ $oldest_node for clients/web; HALYARD_WITHOUT_CLIENTS=1 leaves its tests out"
  install_locked "$web_client" ||
    die "the packages of clients/web could not be installed; HALYARD_WITHOUT_CLIENTS=1 leaves its tests out"
  npm run --prefix "$web_client" --silent check || return
  npm run --prefix "$web_client" --silent build || return
  CHROMIUM=$(chromium_program) HALYARD_BIN_DIR=$folder npm run --prefix "$web_client" --silent test
}
