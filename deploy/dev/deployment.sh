# shellcheck shell=bash
# Checks of what deploy/ has for containers, Compose and Kubernetes, by the linters, schemas and engines that others publish.

check_deployment() {
  local tools
  is_deployment_wanted || return 0
  tools=$(prepare_deployment_tools)
  "$tools/hadolint" "$root/deploy/container/Containerfile"
  "$tools/python" "$root/deploy/container/check_sbom.py"
  "$tools/check-jsonschema" --builtin-schema vendor.compose-spec "$root/deploy/compose/compose.yaml"
  "$tools/python" "$root/deploy/compose/check.py"
  "$tools/python" "$root/deploy/helm/check.py"
}

is_deployment_wanted() {
  [[ -z ${HALYARD_WITHOUT_DEPLOYMENT:-} ]] || {
    say "HALYARD_WITHOUT_DEPLOYMENT is set: images, Compose and the chart are NOT checked"
    return 1
  }
}

# Prints the folder of their programs.
prepare_deployment_tools() {
  local tools
  tools=$(target_dir)/deployment
  install_once "$tools" "$root/deploy/dev/deployment.txt" install_deployment_tools ||
    die "packages of python3 could not be installed ($tools.log); HALYARD_WITHOUT_DEPLOYMENT=1 leaves these checks out"
  echo "$tools/bin"
}

install_deployment_tools() {
  python3 -m venv "$1" &&
    "$1/bin/pip" install --disable-pip-version-check --retries 3 --timeout 20 --no-deps --requirement "$2"
}

# Runs the images of the programs in FOLDER, which takes root, as an engine for containers does.
test_images() {
  local folder=$1 tools database status=0
  is_deployment_wanted || return 0
  tools=$(prepare_deployment_tools) || return
  database=$(postgres_start "$(target_dir)/images-postgres" fast)
  as_root env "PATH=$PATH" "HOME=$HOME" "DATABASE_URL=$database" "$tools/python" "$root/deploy/container/test.py" "$folder" ||
    status=1
  postgres_stop "$(target_dir)/images-postgres"
  return "$status"
}
