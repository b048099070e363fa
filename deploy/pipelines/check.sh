#!/bin/sh
# Checks flags as files: that they are valid, that their tests pass, and what they would change, which becomes plan.md.
# Needs halyardctl, HALYARD_URL, HALYARD_PROJECT, and in HALYARD_TOKEN a token that reads. Without a token, as in requests from forks,
# there is no plan. The folder is the first argument, else the current one.
set -eu

dir=${1:-.}
halyardctl validate --dir "$dir"
halyardctl test --dir "$dir"

if [ -z "${HALYARD_TOKEN:-}" ]; then
    echo "No token, so no plan." >plan.md
    exit 0
fi
code=0
halyardctl plan --dir "$dir" >plan.txt || code=$?
case $code in
    0 | 2) ;;
    *) exit "$code" ;;
esac
{
    echo "### What \`$HALYARD_PROJECT\` would change to"
    echo
    # No text in a plan ends this: each of its lines is indented.
    sed 's/^/    /' plan.txt
} >plan.md
cat plan.txt
