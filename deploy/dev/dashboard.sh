# shellcheck shell=bash
# For whoever changes the dashboard. Nobody else needs node: what it builds is committed (control-plane/dashboard/dist).

dashboard=$root/control-plane/dashboard

dashboard_command() {
  local task=${1:-dev}
  (($# <= 1)) || die "usage: ./dev dashboard [build|check]"
  dashboard_packages
  case $task in
    # Reloads what changes; the API is that of `up`.
    dev)
      HALYARD_API=${HALYARD_URL:-$(dashboard_api)} npm run --prefix "$dashboard" --silent dev
      ;;
    build) npm run --prefix "$dashboard" --silent build ;;
    check) check_dashboard ;;
    *) die "usage: ./dev dashboard [build|check]" ;;
  esac
}

# The address that `up` wrote, or the default one.
dashboard_api() {
  local told
  told=$(sed -n 's/^HALYARD_URL=//p' "$root/.dev/env" 2>/dev/null | tr -d "'\"")
  echo "${told:-http://127.0.0.1:8080}"
}

# Installs what its lock file names, once for each state of that.
dashboard_packages() {
  local lock=$dashboard/package-lock.json stamp
  has npm || die "node 20.19 or newer with npm is needed"
  stamp=$(cksum <"$lock")
  [[ $(cat "$dashboard/node_modules/.halyard" 2>/dev/null) != "$stamp" ]] || return 0
  npm ci --prefix "$dashboard" --no-audit --no-fund --loglevel=error >&2
  echo "$stamp" >"$dashboard/node_modules/.halyard"
}

# Types, lints, unit tests, and that what is committed is what the sources make, byte by byte.
check_dashboard() {
  local fresh
  dashboard_packages
  npm run --prefix "$dashboard" --silent check
  fresh=$(target_dir)/dashboard-fresh
  rm -rf "$fresh"
  (cd "$dashboard" && npx --no-install vite build --logLevel error --emptyOutDir --outDir "$fresh")
  diff -r "$dashboard/dist" "$fresh" >&2 || die "control-plane/dashboard/dist is stale: ./dev dashboard build"
}
