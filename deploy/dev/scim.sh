# shellcheck shell=bash
# The checker of SCIM compliance that a test runs against the service (tests/scim/). Where it cannot be installed, that test fails.

prepare_scim_tester() {
  local folder=$1 lock=$root/tests/scim/requirements.txt stamp
  [[ -z ${HALYARD_WITHOUT_SCIM_TESTER:-} ]] || return 0
  stamp=$(cksum <"$lock")
  [[ $(cat "$folder/stamp" 2>/dev/null) != "$stamp" ]] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"
  if install_scim_tester "$folder" "$lock" >"$folder.log" 2>&1 9>&-; then
    echo "$stamp" >"$folder/stamp"
  else
    rm -rf "$folder"
    say "scim2-tester could not be installed ($folder.log); HALYARD_WITHOUT_SCIM_TESTER=1 leaves its test out"
  fi
}

install_scim_tester() {
  python3 -m venv "$1" &&
    "$1/bin/pip" install --disable-pip-version-check --retries 3 --timeout 20 --no-deps --requirement "$2"
}
