# shellcheck shell=bash
# The platforms that flags are imported from, as tests meet them (tests/platforms/): the real Unleash, LaunchDarkly's client and
# server SDK, Flagsmith's engine. What Halyard answers after an import is compared with what they answer.

prepare_platforms() {
  local folder=$1 missing=()
  [[ -z ${HALYARD_WITHOUT_PLATFORMS:-} ]] || {
    say "HALYARD_WITHOUT_PLATFORMS is set: imports are NOT compared with the real platforms"
    return 0
  }
  prepare_platform "$folder/python" "$root/tests/platforms/requirements.txt" install_python_platforms || missing+=(python3)
  prepare_platform "$folder/unleash" "$root/tests/platforms/package-lock.json" install_packages_of_node || missing+=(npm)
  ((${#missing[@]} == 0)) ||
    say "SKIPPED: imports are NOT compared with the platforms whose packages ${missing[*]} could not install ($folder/*.log)"
}

# Installs into FOLDER once for each state of LOCK. A folder that is not complete is removed.
prepare_platform() {
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

install_python_platforms() {
  python3 -m venv "$1" &&
    "$1/bin/pip" install --disable-pip-version-check --retries 3 --timeout 20 --no-deps \
      --requirement "$root/tests/platforms/requirements.txt"
}

# Those of the package.json beside LOCK.
install_packages_of_node() {
  cp "$(dirname "$2")/package.json" "$2" "$1" &&
    npm ci --prefix "$1" --ignore-scripts --omit=optional --no-audit --no-fund --fetch-retries=1 --fetch-timeout=20000
}
