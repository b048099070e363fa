# shellcheck shell=bash
# A release as an archive and, where dpkg-deb is, as a Debian package. By dpkg-deb itself: what goes in is a list of files, which
# takes no tool that would have to be built first.

package_command() {
  local binaries='' out version platform
  out=$(target_dir)/package
  while (($# > 0)); do
    case $1 in
      --binaries) binaries=${2:?a folder} && shift 2 ;;
      --out) out=${2:?a folder} && shift 2 ;;
      *) die "usage: ./dev package [--binaries FOLDER] [--out FOLDER]" ;;
    esac
  done
  if [[ -z $binaries ]]; then
    need_toolchain
    binaries=$(target_dir)/programs
    build_programs "$binaries"
  fi
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
  platform=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
  # The same commit makes the same bytes, with the same programs.
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
  export SOURCE_DATE_EPOCH
  umask 022
  mkdir -p "$out"
  package_archive "$binaries" "$out/halyard-$version-$platform.tar.gz" "halyard-$version"
  if has dpkg-deb; then
    package_debian "$binaries" "$out/halyard_$version-1_$(dpkg --print-architecture).deb" "$version"
  fi
}

# Puts programs into FOLDER; on Linux the client runs whatever C library a machine has.
build_programs() (
  local folder=$1 platform
  mkdir -p "$folder"
  cd "$root"
  cargo build --release --locked --package control-plane --package edge-node --package halyardctl
  cp "$(target_dir)"/release/{halyard,halyard-edge,halyardctl} "$folder"
  [[ $(uname -s) == Linux ]] || return 0
  platform=$(uname -m)-unknown-linux-musl
  rustup target add "$platform"
  has musl-gcc || apt_install musl-tools
  env "CC_${platform//-/_}=musl-gcc" cargo build --release --locked --package halyardctl --target "$platform"
  cp "$(target_dir)/$platform/release/halyardctl" "$folder"
  ! LC_ALL=C readelf --dynamic "$folder/halyardctl" | grep -q NEEDED || die "halyardctl needs libraries"
)

# Puts programs and documents where they are to be; BIN, DOC and UNITS are folders below FOLDER.
package_files() {
  local binaries=$1 folder=$2 bin=$2/$3 doc=$2/$4 units=$2/$5 program
  mkdir -p "$bin" "$doc/proxies" "$units"
  for program in halyard halyard-edge halyardctl; do
    strip -o "$bin/$program" "$binaries/$program"
    chmod 755 "$bin/$program"
  done
  cp "$root"/docs/*.md "$root/CHANGELOG.md" "$doc"
  cp "$root"/deploy/proxies/* "$doc/proxies"
  cp "$root/deploy/postgres/roles.sql" "$doc"
  cp "$root"/deploy/systemd/*.{service,socket} "$units"
}

# Puts what shells and man know of the client into folders.
package_client() {
  local program=$1 bash=$2 zsh=$3 fish=$4 pages=$5
  mkdir -p "$bash" "$zsh" "$fish"
  "$program" completions bash >"$bash/halyardctl"
  "$program" completions zsh >"$zsh/_halyardctl"
  "$program" completions fish >"$fish/halyardctl.fish"
  "$program" man --out "$pages" 2>/dev/null
}

package_archive() {
  local binaries=$1 archive=$2 name=$3 folder
  folder=$(mktemp -d)
  package_files "$binaries" "$folder/$name" bin docs systemd
  cp "$root"/deploy/systemd/*.env "$folder/$name/systemd"
  cp "$root/LICENSE" "$root/README.md" "$folder/$name"
  package_client "$folder/$name/bin/halyardctl" "$folder/$name"/completions/{bash,zsh,fish} "$folder/$name/man"
  (cd "$folder" && find "$name" -type f | LC_ALL=C sort | tar -c --owner=0 --group=0 --mtime="@$SOURCE_DATE_EPOCH" -T -) |
    gzip -n >"$archive"
  rm -r "$folder"
  echo "$archive"
}

package_debian() {
  local binaries=$1 package=$2 version=$3-1 maintainer="Halyard maintainers <maintainers@halyard.example>" folder doc glibc file
  folder=$(mktemp -d)
  package_files "$binaries" "$folder" usr/bin usr/share/doc/halyard usr/lib/systemd/system
  chmod 755 "$folder"
  package_client "$folder/usr/bin/halyardctl" "$folder/usr/share/bash-completion/completions" \
    "$folder/usr/share/zsh/vendor-completions" "$folder/usr/share/fish/vendor_completions.d" "$folder/usr/share/man/man1"
  gzip -9n "$folder"/usr/share/man/man1/*
  mkdir -p "$folder/etc/halyard" "$folder/DEBIAN"
  # They have secrets.
  install -m 600 "$root"/deploy/systemd/*.env "$folder/etc/halyard"
  doc=$folder/usr/share/doc/halyard
  printf 'Halyard\n\nCopyright: the authors of Halyard\nLicense: Apache-2.0, as in /usr/share/common-licenses/Apache-2.0\n' >"$doc/copyright"
  printf 'halyard (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -R -u -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.Debian.gz"
  for file in postinst prerm postrm; do
    install -m 755 "$root/deploy/debian/$file" "$folder/DEBIAN"
  done
  (cd "$folder" && find etc -type f | sed 's#^#/#' | LC_ALL=C sort) >"$folder/DEBIAN/conffiles"
  # The oldest library that has all they call.
  glibc=$(grep -aho 'GLIBC_2\.[0-9]*' "$folder"/usr/bin/* | sort -Vu | tail -1)
  cat >"$folder/DEBIAN/control" <<CONTROL
Package: halyard
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $maintainer
Installed-Size: $(du -sk "$folder/usr" | cut -f1)
Depends: libc6 (>= ${glibc#GLIBC_}), libgcc-s1
Recommends: ca-certificates
Suggests: postgresql
Section: net
Priority: optional
Description: feature-flag service
 The control plane (halyard) keeps flags in PostgreSQL, and edges (halyard-edge)
 answer programs that ask for them. Units for systemd and the command line
 client (halyardctl) are included.
CONTROL
  (cd "$folder" && find usr etc -type f -exec md5sum {} + | LC_ALL=C sort -k 2) >"$folder/DEBIAN/md5sums"
  dpkg-deb --root-owner-group --build "$folder" "$package" >&2
  rm -r "$folder"
  echo "$package"
}
