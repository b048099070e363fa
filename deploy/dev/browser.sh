# shellcheck shell=bash
# The dashboard's tests in a browser (tests/dashboard/), on a service of their own. They alone need node and Chromium.

browser_tests=$root/tests/dashboard
oldest_node=20.19

# `./dev dashboard test [FILTER]`: whoever asks for these tests alone needs what they need.
browser_test_command() {
  local bin=${HALYARD_BIN_DIR:-} missing
  missing=$(prepare_browser_tests)
  [[ -z $missing ]] || die "$missing"
  if [[ -z $bin ]]; then
    need_toolchain
    (cd "$root" && cargo build --workspace --bins --locked)
    bin=$(target_dir)/debug
  fi
  HALYARD_PICTURES=${HALYARD_PICTURES-1} run_browser_tests "$bin" "${1:-}"
}

# Installs what the tests need and is not there, where that is possible; prints what is missing still, in a few words.
prepare_browser_tests() {
  has_node || (install_node) >&2 || true
  if ! has_node; then
    echo "no node ≥ $oldest_node"
    return
  fi
  [[ -n ${CHROMIUM:-} || -n $(chromium_program) ]] || (apt_install chromium-headless-shell || apt_install chromium) >&2 || true
  if [[ -z $(chromium_program) ]]; then
    echo "no Chromium"
    return
  fi
  (install_locked "$browser_tests" && install_locked "$dashboard") >&2 || echo "npm could not install their packages"
}

has_node() {
  has node && has npm && version_at_least "$(node --version | sed 's/^v//')" "$oldest_node"
}

# From the distribution, where its node is new enough: there are many ways to install another, and whose machine it is chooses.
install_node() {
  local offered
  has apt-get || return
  apt_get update
  offered=$(apt-cache policy nodejs | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
  [[ -n $offered ]] && version_at_least "$offered" "$oldest_node" || return
  apt_install nodejs npm
}

# What CHROMIUM names, else what is found. The one without windows takes two thirds of the processor's time.
chromium_program() {
  local program
  if [[ -n ${CHROMIUM:-} ]]; then
    command -v "$CHROMIUM" || true
    return
  fi
  for program in chromium-headless-shell chromium chromium-browser google-chrome-stable google-chrome \
    "/Applications/Chromium.app/Contents/MacOS/Chromium" \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    if has "$program"; then
      command -v "$program"
      return
    fi
  done
}

# Those whose titles or files match FILTER, a regular expression, or all. With HALYARD_PICTURES=1, traces and pictures are kept in .dev/browser/results.
run_browser_tests() {
  (
    state=$state/browser
    with_lock "$state/lock" run_browser_tests_locked "$@"
  )
}

run_browser_tests_locked() {
  local bin=$1 filter=$2
  # Neither the service nor the database of `up`, whose addresses the environment may have.
  unset DATABASE_URL CONTROL_QUIC_ADDR EDGE_UPSTREAM EDGE_IDENTITY EDGE_CACHE_DIR APP_BASE_URL DASHBOARD_URL
  forget_all
  trap stop_all EXIT
  DATABASE_URL=$(postgres_start "$state/postgres" fast)
  CONTROL_HTTP_ADDR=127.0.0.1:$(free_port)
  CONTROL_QUIC_ADDR=127.0.0.1:$(free_port)
  CONTROL_ADMIN_ADDR=127.0.0.1:$(free_port)
  EDGE_HTTP_ADDR=127.0.0.1:$(free_port)
  EDGE_ADMIN_ADDR=127.0.0.1:$(free_port)
  # Where a test's name server listens.
  SIGN_IN_DNS_SERVERS=127.0.0.1:$(free_port)
  export DATABASE_URL CONTROL_HTTP_ADDR CONTROL_QUIC_ADDR CONTROL_ADMIN_ADDR EDGE_HTTP_ADDR EDGE_ADMIN_ADDR SIGN_IN_DNS_SERVERS
  export SMTP_URL=dir:$state/mail RATE_SIGN_IN=0 RATE_MANAGEMENT=0 RATE_EXPLAIN=0 RATE_MIGRATION=0
  export WEBHOOK_ALLOWED_CIDRS=127.0.0.0/8 SIGN_IN_ALLOWED_CIDRS=127.0.0.0/8 EDGE_PUBLIC_URL=http://$EDGE_HTTP_ADDR
  start_built "$bin"

  set -a
  # shellcheck source=/dev/null
  . "$state/env"
  set +a
  CHROMIUM=$(chromium_program)
  export CHROMIUM HALYARD_BROWSER_RESULTS=$state/results HALYARD_LONG_TEXTS=$state/long-texts
  (cd "$dashboard" && HALYARD_TEXT=long npx --no-install vite build --logLevel error --emptyOutDir --outDir "$HALYARD_LONG_TEXTS")
  cd "$browser_tests"
  npx --no-install playwright test ${filter:+--no-deps --grep "$filter"}
}
