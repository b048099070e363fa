# shellcheck shell=bash
# For whoever changes the dashboard. Nobody else needs node: what it builds is committed (control-plane/dashboard/dist).

dashboard=$root/control-plane/dashboard

dashboard_command() {
  local task=${1:-dev} usage="usage: ./dev dashboard [build | check | test [FILTER]]"
  if [[ $task == test ]]; then
    (($# <= 2)) || die "$usage"
    browser_test_command "${2:-}"
    return
  fi
  (($# <= 1)) || die "$usage"
  dashboard_packages
  case $task in
    # Reloads what changes; the API is that of `up`.
    dev)
      HALYARD_API=${HALYARD_URL:-$(dashboard_api)} npm run --prefix "$dashboard" --silent dev
      ;;
    build) npm run --prefix "$dashboard" --silent build ;;
    check) check_dashboard ;;
    *) die "$usage" ;;
  esac
}

# The address that `up` wrote, or the default one.
dashboard_api() {
  local told
  told=$(sed -n 's/^HALYARD_URL=//p' "$root/.dev/env" 2>/dev/null | tr -d "'\"")
  echo "${told:-http://127.0.0.1:8080}"
}

dashboard_packages() {
  has npm || die "node $oldest_node or newer with npm is needed"
  install_locked "$dashboard"
}

# Installs what the lock file in FOLDER names, once for each state of that.
install_locked() {
  local folder=$1 stamp
  stamp=$(cksum <"$folder/package-lock.json")
  [[ $(cat "$folder/node_modules/.halyard" 2>/dev/null) != "$stamp" ]] || return 0
  npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error >&2 || return
  echo "$stamp" >"$folder/node_modules/.halyard"
}

# Types, lints (of the browser tests too), unit tests, and that what is committed is what the sources make, byte by byte.
check_dashboard() {
  local fresh
  dashboard_packages
  npm run --prefix "$dashboard" --silent check
  install_locked "$browser_tests"
  npm run --prefix "$browser_tests" --silent check
  fresh=$(target_dir)/dashboard-fresh
  rm -rf "$fresh"
  (cd "$dashboard" && npx --no-install vite build --logLevel error --emptyOutDir --outDir "$fresh")
  diff -r "$dashboard/dist" "$fresh" >&2 || die "control-plane/dashboard/dist is stale: ./dev dashboard build"
}
