# shellcheck shell=bash
# `up`, `down`, `reset`: a private PostgreSQL, the control plane with its built-in edge, and one separate edge
# that joined by certificate.

up_command() {
  local profile=debug detach=no option
  for option in "$@"; do
    case $option in
      --release) profile=release ;;
      --detach) detach=yes ;;
      *) die "unknown option: $option" ;;
    esac
  done
  need_toolchain
  if [[ $detach == no ]]; then
    trap 'stop_all; exit 130' INT TERM HUP
  fi
  with_lock "$state/lock" start_all "$profile"
  demo_print
  [[ $detach == yes ]] || follow_logs
}

down_command() {
  with_lock "$state/lock" stop_all
}

reset_command() {
  with_lock "$state/lock" forget_all
}

start_all() {
  local profile=$1 option=()
  [[ $profile == debug ]] || option=(--release)
  cd "$root"
  cargo build --workspace --bins --locked ${option[@]+"${option[@]}"}
  start_built "$(target_dir)/$profile"
}

# Starts the programs in a folder.
start_built() {
  local bin=$1
  choose_database
  export SMTP_URL=${SMTP_URL:-dir:$state/mail}
  mkdir -p "$state/mail"
  start_control_plane "$bin"
  enroll_edge "$bin"
  demo_seed "$bin"
  start_edge "$bin"
  demo_write_env "$bin"
  service_await edge demo_answers || die "the edge does not serve the demo flag"
}

# A given DATABASE_URL wins; `.dev/database` says which one is used, whatever port a private one gets.
choose_database() {
  local database=private
  forget_what_env_gave
  if [[ -n ${DATABASE_URL:-} ]]; then
    database=$(printf '%s' "$DATABASE_URL" | cksum)
  else
    DATABASE_URL=$(postgres_start "$state/postgres" durable)
    export DATABASE_URL
  fi
  if [[ -f $state/database && $(<"$state/database") != "$database" ]]; then
    # What was made with another database is worth nothing with this one.
    service_stop edge
    rm -rf "$state/edge" "$state/edge-cache"
  fi
  echo "$database" >"$state/database"
}

# Whoever has sourced `.dev/env` gives back what is in it, and has chosen neither.
forget_what_env_gave() {
  local gave=${HALYARD_DEV_GAVE:-}
  [[ -n $gave ]] || return 0
  [[ ${DATABASE_URL:-} != "${gave% *}" ]] || unset DATABASE_URL
  [[ ${CONTROL_QUIC_ADDR:-} != "${gave##* }" ]] || unset CONTROL_QUIC_ADDR
}

start_control_plane() {
  local bin=$1 attempt
  for attempt in 1 2 3; do
    choose_address CONTROL_HTTP_ADDR control 8080
    choose_address CONTROL_QUIC_ADDR control 8443
    choose_address CONTROL_ADMIN_ADDR control 9090
    service_ensure control "$bin/halyard" serve
    if service_await control "$bin/halyard" health; then
      return
    fi
    # Another checkout may have taken a port between choosing and using it.
    address_was_taken control || break
    say "an address was taken meanwhile, choosing others (attempt $attempt)"
    unset CONTROL_HTTP_ADDR CONTROL_QUIC_ADDR CONTROL_ADMIN_ADDR
  done
  die "the control plane did not start"
}

start_edge() {
  local bin=$1 attempt
  export EDGE_IDENTITY=${EDGE_IDENTITY:-$state/edge} EDGE_CACHE_DIR=${EDGE_CACHE_DIR:-$state/edge-cache}
  export EDGE_UPSTREAM=${EDGE_UPSTREAM:-$CONTROL_QUIC_ADDR} SHUTDOWN_DELAY=${SHUTDOWN_DELAY:-0}
  for attempt in 1 2 3; do
    choose_address EDGE_HTTP_ADDR edge 8081
    choose_address EDGE_ADMIN_ADDR edge 9091
    service_ensure edge "$bin/halyard-edge"
    if service_await edge "$bin/halyard-edge" health; then
      return
    fi
    address_was_taken edge || break
    say "an address was taken meanwhile, choosing others (attempt $attempt)"
    unset EDGE_HTTP_ADDR EDGE_ADMIN_ADDR
  done
  die "the edge did not start"
}

enroll_edge() {
  local bin=$1
  if [[ -z ${EDGE_IDENTITY:-} && ! -f $state/edge/edge.pem ]]; then
    # The database may know the name from before: its identity is lost then.
    "$bin/halyard" edge revoke local >/dev/null 2>&1 || true
    "$bin/halyard" edge enroll --name local --out "$state/edge" >/dev/null
  fi
}

# Exports VARIABLE, the address of a service: as given, else as last time, else with the port that the
# documentation names, else with any that is free.
choose_address() {
  local variable=$1 service=$2 port=$3 before
  if [[ -n ${!variable:-} ]]; then
    export "${variable?}"
    return
  fi
  before=$(sed -n 's/.*://p' "$state/run/$variable" 2>/dev/null || true)
  if [[ -n $before ]] && { service_runs "$service" || port_is_free "$before"; }; then
    port=$before
  elif ! port_is_free "$port"; then
    port=$(free_port)
  fi
  mkdir -p "$state/run"
  echo "127.0.0.1:$port" >"$state/run/$variable"
  export "$variable=127.0.0.1:$port"
}

address_was_taken() {
  tail -n 20 "$state/log/$1.log" | grep -i 'address already in use\|address in use' >/dev/null
}

stop_all() {
  service_stop edge
  service_stop control
  postgres_stop "$state/postgres"
}

# Never touches a database that was given: what is forgotten is what lies in .dev/.
forget_all() {
  local part
  stop_all
  [[ ! -f $state/postgres/home ]] || postgres_forget "$state/postgres"
  for part in "$state"/*; do
    [[ $part == "$state/lock" || $part == "$state/lock.held" ]] || rm -rf "$part"
  done
}

# Shows the logs until one of the services ends or Ctrl-C stops them all.
follow_logs() {
  local tail
  tail -n 0 -F "$state/log/control.log" "$state/log/edge.log" 9>&- &
  tail=$!
  trap 'kill "$tail" 2>/dev/null || true; stop_all; exit 130' INT TERM HUP
  while service_runs control && service_runs edge; do
    sleep 1
  done
  kill "$tail" 2>/dev/null || true
  stop_all
  die "a service stopped, see .dev/log/"
}
