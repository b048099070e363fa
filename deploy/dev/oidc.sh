# shellcheck shell=bash
# The provider of OpenID Connect by which tests sign in (tests/oidc/). Where it cannot be installed, its test fails.

prepare_oidc() {
  local folder=$1 lock=$root/tests/oidc/package-lock.json stamp
  [[ -z ${HALYARD_WITHOUT_OIDC:-} ]] || return 0
  stamp=$(cksum <"$lock")
  [[ $(cat "$folder/stamp" 2>/dev/null) != "$stamp" ]] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"
  if install_packages_of_node "$folder" "$lock" >"$folder.log" 2>&1 9>&-; then
    echo "$stamp" >"$folder/stamp"
  else
    rm -rf "$folder"
    say "oidc-provider could not be installed ($folder.log); HALYARD_WITHOUT_OIDC=1 leaves its test out"
  fi
}
