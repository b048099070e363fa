#!/bin/sh
# Tells the service where this repository names flags; with `check` and the folder of flags as files, fails if a flag that they remove is still
# named here. Needs halyardctl, git, HALYARD_URL, HALYARD_PROJECT, and in HALYARD_TOKEN a token that writes, or one that reads to check.
# Without a token, as in requests from forks, nothing is checked.
set -eu

case ${1:-scan} in
    scan)
        # Pipelines check out commits, so git does not know the branch.
        branch=${GITHUB_REF_NAME:-${CI_COMMIT_BRANCH:-}}
        halyardctl refs scan ${branch:+--branch "$branch"}
        ;;
    check)
        if [ -z "${HALYARD_TOKEN:-}" ]; then
            echo "No token, so no references are checked."
            exit 0
        fi
        halyardctl refs check --dir "${2:-.}" --junit refs.xml
        ;;
    *)
        echo "usage: refs.sh [scan | check DIR]" >&2
        exit 64
        ;;
esac
