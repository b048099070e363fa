# shellcheck shell=bash
# An empty Debian machine, in which tests/e2e/production/ follows docs/production.md: a root folder that systemd-nspawn boots, with
# systemd, PostgreSQL and nginx. It is made once; what a test does there is gone afterwards.

prepare_machine() {
  local folder=$1
  [[ -z ${HALYARD_WITHOUT_MACHINE:-} && ! -e $folder/boots ]] || return 0
  mkdir -p "$folder"
  (make_machine "$folder/root" && boots "$folder/root") >"$folder.log" 2>&1 9>&- && : >"$folder/boots" && return
  say "SKIPPED: docs/production.md is NOT followed on a machine of its own: none boots here ($folder.log, as root, on Debian)"
}

make_machine() {
  local root=$1 suite packages
  ((EUID == 0)) && has apt-get || return
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # What the page asks for, and what an administrator has at hand.
  packages=systemd,systemd-sysv,dbus,postgresql,nginx-light,age,ca-certificates,curl,openssl
  has mmdebstrap && has systemd-nspawn || apt_install mmdebstrap systemd-container
  rm -rf "$root"
  # The machine has no network but itself: nothing waits for one.
  mmdebstrap --quiet --variant=minbase --mode=root --include="$packages" "$suite" "$root" "$(sources_of_packages)"
  rm -f "$root/etc/machine-id"
  ln -sf /dev/null "$root/etc/systemd/system/systemd-networkd.service"
  ln -sf /dev/null "$root/etc/systemd/system/systemd-networkd-wait-online.service"
}

# Those of this machine.
sources_of_packages() {
  local file
  for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    [[ ! -e $file ]] || { echo "$file" && return; }
  done
}

# Whether a machine starts here and stops, in a minute.
boots() {
  timeout --kill-after=5 60 systemd-nspawn --register=no --keep-unit --quiet --private-network --volatile=overlay \
    --directory "$1" --machine "halyard-$$" --boot systemd.unit=poweroff.target </dev/null
}
