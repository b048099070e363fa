#!/bin/sh
# Applies flags as files, after a merge. Needs halyardctl, HALYARD_URL, HALYARD_PROJECT, and in HALYARD_TOKEN a token that writes.
# The folder is the first argument, else the current one; the second one is the comment of the audit log.
# Ends with 3 if somebody changed the project meanwhile: run it again.
set -eu

dir=${1:-.}
halyardctl validate --dir "$dir"
halyardctl apply --dir "$dir" --yes --wait edges --comment "${2:-applied from files}"
