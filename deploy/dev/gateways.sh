# shellcheck shell=bash
# The libraries that payment gateways publish, which tests compare with what the service computes (tests/gateways/). Where one
# is not available, its tests hold against recordings of its answers.

prepare_gateway_peers() {
  prepare_gateway_peer "$1/payu" "$root/tests/gateways/package-lock.json" install_payu
  prepare_gateway_peer "$1/stripe" "$root/tests/gateways/requirements.txt" install_stripe
}

# Installs into FOLDER once for each state of LOCK. A folder that is not complete is removed.
prepare_gateway_peer() {
  local folder=$1 lock=$2 install=$3 stamp
  stamp=$(cksum <"$lock")
  [[ $(cat "$folder/stamp" 2>/dev/null) != "$stamp" ]] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"
  if "$install" "$folder" >"$folder.log" 2>&1 9>&-; then
    echo "$stamp" >"$folder/stamp"
  else
    rm -rf "$folder"
    say "the library of $(basename "$folder") is not available, so tests hold against recordings of it ($folder.log)"
  fi
}

install_payu() {
  cp "$root/tests/gateways/package.json" "$root/tests/gateways/package-lock.json" "$1" &&
    npm ci --prefix "$1" --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000
}

install_stripe() {
  python3 -m venv "$1" &&
    "$1/bin/pip" install --disable-pip-version-check --retries 1 --timeout 20 --no-deps \
      --requirement "$root/tests/gateways/requirements.txt"
}
