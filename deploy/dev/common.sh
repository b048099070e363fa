# shellcheck shell=bash
# What every part needs: messages, locks, free ports, processes by id, packages of the system.

say() {
  printf '%s\n' "$*" >&2
}

die() {
  say "dev: $*"
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Runs a command while holding FILE as a lock, waiting for whoever holds it. The lock is file
# descriptor 9: what is started to outlive the command must close it (`9>&-`).
with_lock() {
  local file=$1
  shift
  mkdir -p "$(dirname "$file")"
  if has flock; then
    (
      flock 9
      "$@"
    ) 9>>"$file"
    return
  fi
  until mkdir "$file.held" 2>/dev/null; do
    kill -0 "$(cat "$file.held/pid" 2>/dev/null || echo $$)" 2>/dev/null || rm -rf "$file.held"
    sleep 0.2
  done
  (
    # shellcheck disable=SC2064  # the path is known now
    trap "rm -rf '$file.held'" EXIT
    echo $$ >"$file.held/pid"
    # In a shell of its own, which may set traps of its own.
    ("$@")
  )
}

random_hex() {
  od -An -v -N"$1" -tx1 /dev/urandom | tr -d ' \n'
}

# Whether nothing listens on a TCP port of the loopback address and no socket holds the UDP port.
# (Here and elsewhere not `grep -q`: it leaves at the first match, which fails the pipe's other end.)
port_is_free() {
  local port=$1
  ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && ! udp_ports | grep -x "$port" >/dev/null
}

udp_ports() {
  local port
  if [[ -r /proc/net/udp ]]; then
    cat /proc/net/udp /proc/net/udp6 2>/dev/null | sed -n 's/^ *[0-9]*: [0-9A-F]*:\([0-9A-F]*\) .*/\1/p' |
      while read -r port; do echo $((16#$port)); done
  elif has netstat; then
    netstat -an -p udp 2>/dev/null | awk '/^udp/ {n = split($4, part, "."); print part[n]}'
  fi
}

# A free port below the range from which systems take ports of outgoing connections.
free_port() {
  local port
  while :; do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    if port_is_free "$port"; then
      echo "$port"
      return
    fi
  done
}

# The command line of a process, empty when there is none. Slim systems have /proc but no ps.
command_of() {
  if [[ -d /proc/self ]]; then
    tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" || true
  else
    ps -o command= -p "$1" 2>/dev/null || true
  fi
}

# Replaces this shell by a command that survives it, its terminal and its Ctrl-C.
exec_detached() {
  if has setsid; then
    exec setsid "$@" </dev/null 9>&-
  fi
  exec nohup "$@" </dev/null 9>&-
}

# Installs packages of Debian and its relatives, or fails with what to do by hand.
apt_install() {
  has apt-get || die "please install: $*"
  say "installing: $*"
  apt_get update
  if [[ " $* " == *" postgresql "* ]]; then
    # Debian would make and start a cluster of its own, which nobody here wants.
    apt_get install -y --no-install-recommends postgresql-common
    as_root sed -i 's/^#* *create_main_cluster *=.*/create_main_cluster = false/' \
      /etc/postgresql-common/createcluster.conf
  fi
  apt_get install -y --no-install-recommends "$@"
}

# One at a time: while one fetches the lists of packages, another is refused at once.
apt_get() {
  with_lock "$state/apt.lock" apt_get_alone "$@"
}

apt_get_alone() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 "$@" </dev/null >&2 9>&-
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif ! has sudo; then
    die "this needs root: $*"
  elif [[ -t 2 ]]; then
    sudo "$@"
  else
    # Nobody is there to type a password: fail instead of waiting.
    sudo -n "$@"
  fi
}
