#!/bin/sh
# Builds the images halyard:VERSION, halyard-edge:VERSION and halyardctl:VERSION. ENGINE is docker, podman or buildah; SOURCE the address of the
# repository, for a label. More arguments are passed on.
set -eu
cd "$(dirname "$0")/../.."
engine=${ENGINE:-docker}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
commit=$(git describe --always --exclude='*' --abbrev=7 --dirty)
# The format of OCI has no health check.
[ "$engine" = docker ] || set -- --format docker "$@"
for image in halyard halyard-edge halyardctl; do
  "$engine" build --file deploy/container/Containerfile --target "$image" --tag "$image:$version" \
    --build-arg VERSION="$version" --build-arg COMMIT="$commit" --build-arg SOURCE="${SOURCE:-unknown}" "$@" .
done
