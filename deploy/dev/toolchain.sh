# shellcheck shell=bash
# What building needs: a Rust toolchain that is new enough, and a C compiler (for the cryptography,
# the compression and the allocator).

need_toolchain() {
  need_rust
  has cc || need_c_compiler
}

need_rust() {
  local wanted found
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml")
  if ! has cargo && [[ -x $HOME/.cargo/bin/cargo ]]; then
    PATH=$HOME/.cargo/bin:$PATH
  fi
  has cargo || install_rust
  # In a folder without a toolchain file or override this could be another version than in the repository.
  found=$(cd "$root" && cargo --version | sed 's/^cargo \([0-9.]*\).*/\1/')
  version_at_least "$found" "$wanted" ||
    die "Rust $wanted or newer is needed, this is $found (with rustup: rustup update stable)"
}

install_rust() {
  # A fresh machine may not have the lists of packages yet.
  if has apt-get && apt_get update && apt_knows rustup; then
    apt_install rustup ca-certificates
    rustup toolchain install stable --profile minimal --component clippy,rustfmt >&2
    rustup default stable >&2
  else
    die "Rust is missing. Install it with rustup (https://rustup.rs), then run this again."
  fi
}

apt_knows() {
  apt-cache policy "$1" 2>/dev/null | grep 'Candidate: [0-9]' >/dev/null
}

need_c_compiler() {
  if has apt-get; then
    apt_install gcc libc6-dev
  elif [[ $(uname) == Darwin ]]; then
    die "a C compiler is missing: xcode-select --install"
  else
    die "a C compiler is missing: please install gcc or clang"
  fi
}

# Whether version $1 (such as 1.95.0) is $2 (such as 1.95) or newer.
version_at_least() {
  awk -v have="$1" -v want="$2" 'BEGIN {
    split(have, h, "."); split(want, w, ".")
    for (i = 1; i <= 3; i++) if (h[i] + 0 != w[i] + 0) exit !(h[i] + 0 > w[i] + 0)
  }'
}

# Where cargo puts what it builds, whatever the environment or its settings say.
target_dir() {
  cargo metadata --no-deps --format-version 1 --locked --manifest-path "$root/Cargo.toml" |
    sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}
