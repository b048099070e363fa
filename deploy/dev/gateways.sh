# shellcheck shell=bash
# The libraries that payment gateways publish, which tests compare with what the service computes (tests/gateways/). Where one
# is not available, its tests hold against recordings of its answers.

prepare_gateway_peers() {
  prepare_gateway_peer "$1/payu" "$root/tests/gateways/package-lock.json" install_payu
  prepare_gateway_peer "$1/stripe" "$root/tests/gateways/requirements.txt" install_packages_of_python
}

prepare_gateway_peer() {
  install_once "$@" ||
    say "the library of $(basename "$1") is not available, so tests hold against recordings of it ($1.log)"
}

install_payu() {
  cp "$root/tests/gateways/package.json" "$root/tests/gateways/package-lock.json" "$1" &&
    npm ci --prefix "$1" --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000
}
