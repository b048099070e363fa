#!/bin/sh
# Makes ROOT the root of PROGRAM's image: the program, the libraries it is linked with, certificates of public authorities, a
# user, and lists of what is in it. Run where PROGRAM was built, on Debian.
set -eu
program=$1 root=$2
name=$(basename "$program")

mkdir -p "$root/etc/ssl/certs" "$root/usr/bin" "$root/var/lib/dpkg/status.d"
cp "$program" "$root/usr/bin/$name"
ldd "$program" | sed -n 's/.*[[:space:]]\(\/[^ ]*\) (0x.*/\1/p' >"$root/libraries"
while read -r library; do
  cp -L --parents "$library" "$root"
  # Scanners look here for packages of an image that has no package manager.
  package=$(dpkg-query --search "$library" | sed 's/:.*//')
  dpkg-query --status "$package" >"$root/var/lib/dpkg/status.d/$package"
  mkdir -p "$root/usr/share/doc/$package"
  cp "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package"
done <"$root/libraries"
rm "$root/libraries"

cp -L /etc/os-release "$root/etc"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs"
echo 'halyard:x:65532:65532::/var/lib/halyard:/sbin/nologin' >"$root/etc/passwd"
echo 'halyard:x:65532:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"

"$(dirname "$0")/sbom.py" "$name" "$root/usr/share/doc/halyard"
