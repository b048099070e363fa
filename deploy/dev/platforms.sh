# shellcheck shell=bash
# The platforms that flags are imported from, as tests meet them (tests/platforms/): the real Unleash, LaunchDarkly's client and
# server SDK, Flagsmith's engine. What Halyard answers after an import is compared with what they answer.

prepare_platforms() {
  local folder=$1 missing=()
  [[ -z ${HALYARD_WITHOUT_PLATFORMS:-} ]] || {
    say "HALYARD_WITHOUT_PLATFORMS is set: imports are NOT compared with the real platforms"
    return 0
  }
  install_once "$folder/python" "$root/tests/platforms/requirements.txt" install_packages_of_python || missing+=(python3)
  install_once "$folder/unleash" "$root/tests/platforms/package-lock.json" install_packages_of_node || missing+=(npm)
  ((${#missing[@]} == 0)) ||
    say "SKIPPED: imports are NOT compared with the platforms whose packages ${missing[*]} could not install ($folder/*.log)"
}
