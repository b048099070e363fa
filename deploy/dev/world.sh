# shellcheck shell=bash
# Worlds of control planes, relays, edges and their network, each driven by one seed (tests/world/).

# world [A..B]: those of these seeds.
world_command() {
  need_toolchain
  cd "$root"
  HALYARD_WORLD_SEEDS=${1:-0..100000} cargo test --locked --package world -- --nocapture
}
