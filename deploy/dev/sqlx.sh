# shellcheck shell=bash
# The query data that lets SQL be checked without a database (control-plane/.sqlx), and a shell on the
# database of `up`.

sqlx_command() {
  local fresh
  need_toolchain
  fresh=$(target_dir)/sqlx-fresh
  write_query_data "$fresh"
  rm -rf "$root/control-plane/.sqlx"
  cp -R "$fresh" "$root/control-plane/.sqlx"
  say "wrote $(find "$root/control-plane/.sqlx" -name '*.json' | wc -l | tr -d ' ') queries to control-plane/.sqlx"
}

# Compiles the control plane against a migrated throwaway database, which writes a file for each query into FOLDER.
# With a COMMAND, that compiles it.
write_query_data() {
  local folder=$1 server url status=0
  shift
  (($# > 0)) ||
    set -- cargo check --manifest-path "$root/Cargo.toml" --package control-plane --all-targets --locked --quiet
  server=$(target_dir)/sqlx-postgres
  # One that a failed run left behind holds tables already.
  postgres_stop "$server"
  url=$(postgres_start "$server" fast)
  rm -rf "$folder"
  mkdir -p "$folder"
  apply_migrations "$url" "$server"
  # The macros only run when the crate is compiled again.
  touch "$root"/control-plane/*/src/lib.rs
  SQLX_OFFLINE=false SQLX_OFFLINE_DIR=$folder DATABASE_URL=$url "$@" || status=$?
  # Also after a failure: a server that stays would hold the files and locks that it inherited.
  postgres_stop "$server"
  return "$status"
}

# The service applies migrations itself, but it does not compile before their queries are known.
apply_migrations() {
  local url=$1 server=$2 file
  for file in "$root"/migrations/*.sql; do
    "$(psql_of "$server")" "$url" --no-psqlrc --quiet --set ON_ERROR_STOP=1 --single-transaction --file "$file" >&2
  done
}

# The psql that came with a server, else the one in the path.
psql_of() {
  local bin
  bin=$(postgres_bin "$(<"$1/home")")
  if [[ -x $bin/psql ]]; then
    echo "$bin/psql"
  else
    has psql || die "psql is missing (it is in PostgreSQL's client package)"
    echo psql
  fi
}

db_command() {
  local url
  [[ -f $state/env ]] || die "there is no database yet: ./dev up makes it"
  # shellcheck source=/dev/null
  url=$(. "$state/env" && echo "$HALYARD_DATABASE_URL")
  if [[ -f $state/postgres/home ]]; then
    "$(psql_of "$state/postgres")" "$url" "$@"
  else
    psql "$url" "$@"
  fi
}
