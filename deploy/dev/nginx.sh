# shellcheck shell=bash
# The nginx that a test runs by deploy/nginx.conf. Where it cannot be fetched, that test fails. It is unpacked, not installed:
# a package would start a service.

prepare_nginx() {
  local folder=$1
  [[ -z ${HALYARD_WITHOUT_NGINX:-} && ! -x $folder/usr/sbin/nginx ]] || return 0
  mkdir -p "$folder/usr/sbin"
  if has nginx; then
    ln -s "$(command -v nginx)" "$folder/usr/sbin/nginx"
  elif ! (unpack_nginx "$folder") >"$folder.log" 2>&1 9>&-; then
    say "nginx could not be fetched ($folder.log); HALYARD_WITHOUT_NGINX=1 leaves its test out"
  fi
}

unpack_nginx() {
  local package
  if has apt-get; then
    cd "$1"
    apt_get update
    # The program is in the second one where the first is a bundle.
    for package in nginx nginx-core; do
      [[ -x usr/sbin/nginx ]] || { apt-get -q download "$package" && dpkg-deb -x "$package"_*.deb .; } || return
    done
    [[ -x usr/sbin/nginx ]]
  else
    brew install nginx && ln -s "$(brew --prefix)/bin/nginx" "$1/usr/sbin/nginx"
  fi
}
