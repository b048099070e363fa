# shellcheck shell=bash
# Programs of others that tests are held against, each installed once for each state of the lock file that names its versions.

# Fills FOLDER by INSTALL. A folder that is not complete is removed.
install_once() {
  local folder=$1 lock=$2 install=$3 stamp
  stamp=$(cksum <"$lock")
  [[ $(cat "$folder/stamp" 2>/dev/null) != "$stamp" ]] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"
  if "$install" "$folder" "$lock" >"$folder.log" 2>&1 9>&-; then
    echo "$stamp" >"$folder/stamp"
  else
    rm -rf "$folder"
    return 1
  fi
}

# Those that the requirements in LOCK name, and no others.
install_packages_of_python() {
  python3 -m venv "$1" &&
    "$1/bin/pip" install --disable-pip-version-check --retries 3 --timeout 20 --no-deps --requirement "$2"
}

# Those of the package.json beside LOCK.
install_packages_of_node() {
  cp "$(dirname "$2")/package.json" "$2" "$1" &&
    npm ci --prefix "$1" --ignore-scripts --omit=optional --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000
}

# The checker of SCIM compliance, a provider of OpenID Connect, and the formatter of Go: where one cannot be installed, its tests fail.
prepare_peers() {
  local target=$1
  prepare_peer "$target/scim-tester" "$root/tests/scim/requirements.txt" install_packages_of_python HALYARD_WITHOUT_SCIM_TESTER
  prepare_peer "$target/oidc" "$root/tests/oidc/package-lock.json" install_packages_of_node HALYARD_WITHOUT_OIDC
  prepare_peer "$target/go" "$root/tests/go/requirements.txt" install_go HALYARD_WITHOUT_GO
  (dashboard_packages) || say "the packages of the dashboard could not be installed: TypeScript cannot be compiled, and its test fails"
}

install_go() {
  install_packages_of_python "$@" && ln -s "$1"/lib/python3*/site-packages/go/bin/gofmt "$1/bin/gofmt"
}

# Unless the variable WITHOUT is set.
prepare_peer() {
  local folder=$1 lock=$2 install=$3 without=$4
  [[ -z ${!without:-} ]] || return 0
  install_once "$folder" "$lock" "$install" ||
    say "$(basename "$folder") could not be installed ($folder.log); $without=1 leaves its tests out"
}
