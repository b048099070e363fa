# shellcheck shell=bash
# Debian's Prometheus, unpacked and not installed: its promtool checks the rules, and `record-incidents` scrapes by it.

prepare_prometheus() {
  local folder=$1
  [[ ! -x $folder/usr/bin/promtool ]] || return 0
  mkdir -p "$folder/usr/bin"
  if has promtool && has prometheus; then
    ln -s "$(command -v promtool)" "$(command -v prometheus)" "$folder/usr/bin"
  else
    (unpack "$folder" prometheus) >"$folder.log" 2>&1 9>&-
  fi
}

unpack() {
  local folder=$1
  shift
  cd "$folder"
  apt_get update && apt-get -q download "$@" && for package in ./*.deb; do dpkg-deb -x "$package" .; done
}

# Rules, dashboards and runbooks: that they agree, and that recorded incidents fire the right alerts.
check_observability() {
  local target
  target=$(target_dir)/observability
  has python3 || die "python3 (3.11 or newer) is needed"
  if [[ -n ${HALYARD_WITHOUT_PROMETHEUS:-} ]]; then
    say "SKIPPED: alerts and dashboards are NOT checked (HALYARD_WITHOUT_PROMETHEUS)"
    return
  fi
  prepare_prometheus "$target" || die "Prometheus could not be fetched ($target.log); HALYARD_WITHOUT_PROMETHEUS=1 leaves this out"
  mkdir -p "$target/boards"
  python3 deploy/observability/grafana/dashboards.py "$target/boards"
  diff -r deploy/observability/grafana/dashboards "$target/boards" >&2 ||
    die "dashboards are stale: run python3 deploy/observability/grafana/dashboards.py deploy/observability/grafana/dashboards"
  python3 tests/observability/check.py "$target/usr/bin/promtool" "$target/tests"
}

# Minutes for each incident, as root.
record_incidents_command() {
  local target
  cd "$root"
  need_toolchain
  cargo build --workspace --bins --locked
  target=$(target_dir)
  prepare_prometheus "$target/observability"
  mkdir -p "$target/faketime"
  (unpack "$target/faketime" libfaketime)
  python3 tests/observability/record.py "${HALYARD_BIN_DIR:-$target/debug}" "$target/observability/usr/bin/prometheus" \
    "$(find "$target/faketime" -name libfaketimeMT.so.1)" "$state/incidents" "$@"
}
