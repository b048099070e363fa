# shellcheck shell=bash
# Checks of what deploy/ has for containers and Kubernetes, by the linters, schemas and engines that others publish.

check_deployment() {
  local tools
  tools=$(target_dir)/deployment
  [[ -z ${HALYARD_WITHOUT_DEPLOYMENT:-} ]] || {
    say "HALYARD_WITHOUT_DEPLOYMENT is set: containers and charts are NOT checked"
    return 0
  }
  prepare_platform "$tools" "$root/deploy/dev/deployment.txt" install_deployment_tools ||
    die "packages of python3 could not be installed ($tools.log); HALYARD_WITHOUT_DEPLOYMENT=1 leaves these checks out"
  "$tools/bin/hadolint" "$root/deploy/container/Containerfile"
  "$tools/bin/python" "$root/deploy/container/check_sbom.py"
}

install_deployment_tools() {
  python3 -m venv "$1" &&
    "$1/bin/pip" install --disable-pip-version-check --retries 3 --timeout 20 --no-deps --requirement "$2"
}

# Runs the images of the programs in FOLDER, which takes root: an engine for containers does too.
test_images() {
  local folder=$1 database status=0
  [[ -z ${HALYARD_WITHOUT_IMAGES:-} ]] || {
    say "HALYARD_WITHOUT_IMAGES is set: the images are NOT tested"
    return 0
  }
  database=$(postgres_start "$(target_dir)/images-postgres" fast)
  as_root env "PATH=$PATH" "HOME=$HOME" "DATABASE_URL=$database" python3 "$root/deploy/container/test.py" "$folder" ||
    status=1
  postgres_stop "$(target_dir)/images-postgres"
  return "$status"
}
