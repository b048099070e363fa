# shellcheck shell=bash
# A private PostgreSQL server: a cluster of its own in a folder, run by the machine's own binaries,
# reachable on a free port of 127.0.0.1 with a generated password. `up` and the tests share it.
#
# DIR holds `url` (for clients), `home` (where the cluster is) and `lock`. The cluster is DIR/cluster,
# except for tests, whose cluster lies in memory where there is room, and where the server's user cannot
# reach DIR. The server refuses to run as root, so root runs it as user `postgres`, or `nobody`.

postgres_oldest=14

postgres_command() {
  local verb=${1:-} dir=${2:-} durability=durable
  [[ ${3:-} != --fast ]] || durability=fast
  [[ -n $dir ]] || die "usage: ./dev postgres start DIR [--fast] | standby DIR PRIMARY | stop DIR"
  case $verb in
    start) postgres_start "$dir" "$durability" ;;
    standby) postgres_standby "$dir" "${3:-}" ;;
    stop) postgres_stop "$dir" ;;
    *) die "unknown command: postgres $verb" ;;
  esac
}

# Starts the cluster in DIR unless it runs, making it first when there is none; prints its URL.
postgres_start() {
  local dir
  mkdir -p "$1"
  dir=$(cd "$1" && pwd -P)
  with_lock "$dir/lock" postgres_start_locked "$dir" "$2"
}

# Makes a cluster in DIR that streams the log of the one in PRIMARY, which runs; prints its URL.
postgres_standby() {
  local dir primary
  mkdir -p "$1"
  dir=$(cd "$1" && pwd -P)
  primary=$(cd "$2" && pwd -P)
  with_lock "$dir/lock" postgres_standby_locked "$dir" "$primary"
}

postgres_stop() {
  local dir
  [[ -d $1 ]] || return 0
  dir=$(cd "$1" && pwd -P)
  with_lock "$dir/lock" postgres_stop_locked "$dir"
}

postgres_start_locked() {
  local dir=$1 durability=$2 home
  if [[ -f $dir/home ]]; then
    home=$(<"$dir/home")
    if [[ -f $dir/url ]] && postgres_ready "$home"; then
      cat "$dir/url"
      return
    fi
    # A half-made cluster; or one without fsync that was not stopped in order, which proves nothing.
    [[ -d $home/data && ! -f $home/fast ]] || postgres_forget "$dir"
  fi
  postgres_forget_orphans
  [[ -n $(postgres_installations) ]] || postgres_install
  [[ -f $dir/home ]] || postgres_create "$dir" "$durability"
  postgres_launch "$dir" "$(<"$dir/home")"
  cat "$dir/url"
}

postgres_standby_locked() {
  local dir=$1 primary=$2 home port
  home=$(postgres_new_home "$dir" durable)
  printf '%s\n' "$home" >"$dir/home"
  cp "$(<"$primary/home")/major" "$home/major"
  (umask 077 && cp "$primary/password" "$dir/password")
  port=$(sed 's|.*:\([0-9]*\)/.*|\1|' "$primary/url")
  # No checkpoint of the primary is waited for, and its password gets into the standby's settings.
  PGPASSWORD=$(<"$dir/password") as_server "$(postgres_bin "$home")/pg_basebackup" -h 127.0.0.1 -p "$port" -U halyard \
    -D "$home/data" -R -c fast --no-sync >"$dir/copy.log" 2>&1 || {
    cat "$dir/copy.log" >&2
    die "the standby could not be made"
  }
  postgres_launch "$dir" "$home"
  cat "$dir/url"
}

postgres_stop_locked() {
  local dir=$1 home
  [[ -f $dir/home ]] || return 0
  home=$(<"$dir/home")
  if postgres_runs "$home"; then
    as_server "$(postgres_bin "$home")/pg_ctl" -D "$home/data" -m fast -w -s stop
  fi
  [[ ! -f $home/fast ]] || postgres_forget "$dir"
}

# Prints "MAJOR FOLDER" of each installation that is new enough, newest first.
postgres_installations() {
  local folder major
  {
    ! has pg_config || pg_config --bindir
    ! has postgres || dirname "$(command -v postgres)"
    printf '%s\n' /usr/lib/postgresql/*/bin /usr/libexec/postgresql*/ /usr/pgsql-*/bin \
      /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin \
      /home/linuxbrew/.linuxbrew/opt/postgresql*/bin \
      /Applications/Postgres.app/Contents/Versions/*/bin
  } | while read -r folder; do
    [[ -x $folder/postgres && -x $folder/initdb && -x $folder/pg_ctl ]] || continue
    major=$("$folder/postgres" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
    ((major < postgres_oldest)) || echo "$major $folder"
  done | sort -s -k1,1rn
}

# The folder of binaries for a cluster: those of its own major version, the newest for a new one.
postgres_bin() {
  local home=$1 major=
  [[ ! -f $home/major ]] || major=$(<"$home/major")
  postgres_installations | awk -v major="$major" '!found && (major == "" || $1 == major) {print $2; found = 1}' | grep . ||
    die "the database in $home needs PostgreSQL $major, which is not installed (./dev reset forgets it)"
}

postgres_install() {
  if has brew; then
    brew install postgresql@17 >&2
  elif has apt-get; then
    apt_install postgresql
  fi
  [[ -n $(postgres_installations) ]] || die "please install PostgreSQL, $postgres_oldest or newer"
}

postgres_create() {
  local dir=$1 durability=$2 home bin
  home=$(postgres_new_home "$dir" "$durability")
  printf '%s\n' "$home" >"$dir/home"
  bin=$(postgres_bin "$home")
  (umask 077 && random_hex 16 >"$dir/password")
  # The server's user reads it once, and may not be able to reach DIR.
  # shellcheck disable=SC2016  # for the inner shell
  as_server sh -c 'umask 077 && cat >"$1/password"' sh "$home" <"$dir/password"
  postgres_initdb "$home" "$bin" "$durability" >"$dir/initdb.log" 2>&1 || {
    cat "$dir/initdb.log" >&2
    die "the database could not be made"
  }
  rm -f "$home/password" "$dir/initdb.log"
  [[ $durability == durable ]] || touch "$home/fast"
  cp "$home/new/PG_VERSION" "$home/major"
  mv "$home/new" "$home/data"
}

postgres_initdb() {
  local home=$1 bin=$2 auth=scram-sha-256
  # Tests sign in a dozen times each, from clients built without optimisation: thousands of rounds of SCRAM cost more than a test.
  [[ $3 == durable ]] || auth=md5
  as_server "$bin/initdb" -D "$home/new" -U halyard --pwfile="$home/password" --auth=$auth \
    --encoding=UTF8 --locale=C --no-sync || return
  # A client program may not be installed, but the server itself can run statements.
  echo 'CREATE DATABASE halyard' | as_server "$bin/postgres" --single -D "$home/new" postgres || return
  echo "include '../halyard.conf'" >>"$home/new/postgresql.conf"
}

# Makes the folder of a cluster, owned by the user of the server. A cluster that stopping forgets lies in memory where there
# is room: every test copies and deletes hundreds of files, which costs file systems of disks more than all statements.
postgres_new_home() {
  local dir=$1 durability=$2 home=$1/cluster
  rm -rf "$home"
  if [[ $durability == fast ]] && postgres_memory_has_room; then
    postgres_new_home_in /dev/shm "$dir"
    return
  fi
  mkdir -m 700 "$home"
  if ((EUID == 0)); then
    chown "$(server_user)" "$home"
    if ! as_server test -w "$home"; then
      rmdir "$home"
      postgres_new_home_in /var/tmp "$dir"
      return
    fi
  fi
  echo "$home"
}

# The same in a folder that everybody shares, with a note of whose it is.
postgres_new_home_in() {
  local home
  home=$(mktemp -d "$1/halyard-postgres.XXXXXX")
  printf '%s\n' "$2" >"$home/of"
  ((EUID != 0)) || chown "$(server_user)" "$home"
  echo "$home"
}

# Containers often have next to none.
postgres_memory_has_room() {
  local free
  [[ -d /dev/shm && -w /dev/shm ]] || return 1
  free=$(df -Pk /dev/shm | awk 'NR == 2 {print $4}')
  ((free >= 1024 * 1024))
}

postgres_launch() {
  local dir=$1 home=$2 bin attempt port
  bin=$(postgres_bin "$home")
  postgres_forget_stale_pid "$home"
  for attempt in 1 2 3; do
    port=$(free_port)
    postgres_settings "$home" "$port" >"$home/halyard.conf"
    chmod 644 "$home/halyard.conf"
    # The port may be taken by now, or the last processes of a killed server may still be ending.
    if as_server "$bin/pg_ctl" -D "$home/data" -l "$home/log" -w -s start </dev/null >/dev/null 2>&1; then
      (umask 077 && echo "postgres://halyard:$(<"$dir/password")@127.0.0.1:$port/halyard" >"$dir/url")
      return
    fi
    say "PostgreSQL did not start (attempt $attempt)"
    sleep 1
  done
  tail -n 20 "$home/log" >&2 || true
  die "PostgreSQL in $home does not start"
}

postgres_settings() {
  local home=$1 port=$2
  cat <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
timezone = 'UTC'
log_timezone = 'UTC'
CONF
  if [[ -f $home/fast ]]; then
    cat <<'CONF'
max_connections = 500
fsync = off
synchronous_commit = off
full_page_writes = off
max_wal_size = 256MB
CONF
  else
    echo 'max_connections = 200'
  fi
}

# Whether the server of this cluster runs, starting up or shutting down included.
postgres_runs() {
  local data=$1/data pid=
  { read -r pid <"$data/postmaster.pid"; } 2>/dev/null || return 1
  [[ $(command_of "$pid") == *postgres*"$data"* ]]
}

postgres_ready() {
  postgres_runs "$1" && sed -n 8p "$1/data/postmaster.pid" | grep ready >/dev/null
}

# After a kill the file may name a number that belongs to another process today, which the server
# would take for itself. A number that nobody has is left to the server: it checks more than that.
postgres_forget_stale_pid() {
  local home=$1 pid=
  { read -r pid <"$home/data/postmaster.pid"; } 2>/dev/null || return 0
  if [[ -n $(command_of "$pid") ]] && ! postgres_runs "$home"; then
    rm -f "$home/data/postmaster.pid"
  fi
}

postgres_forget() {
  local dir=$1 home
  home=$(<"$dir/home")
  rm -rf "$home"
  rm -f "$dir/url" "$dir/password" "$dir/home"
}

# Clusters elsewhere outlive the folder they belong to when that is simply deleted.
postgres_forget_orphans() {
  local home
  for home in /var/tmp/halyard-postgres.* /dev/shm/halyard-postgres.*; do
    [[ -O $home/of && ! -d $(<"$home/of") ]] || continue
    if postgres_runs "$home"; then
      as_server "$(postgres_bin "$home")/pg_ctl" -D "$home/data" -m immediate -w -s stop || true
    fi
    rm -rf "$home"
  done
}

# Runs a command as the user who runs the server, in a folder that this user can enter.
as_server() {
  (
    exec 9>&-
    if ((EUID != 0)); then
      "$@"
      return
    fi
    cd /
    if has runuser; then
      runuser -u "$(server_user)" -- "$@"
    else
      # shellcheck disable=SC2016  # for the inner shell
      su -s /bin/sh "$(server_user)" -c 'exec "$0" "$@"' -- "$@"
    fi
  )
}

server_user() {
  if id postgres >/dev/null 2>&1; then
    echo postgres
  else
    echo nobody
  fi
}
