# shellcheck shell=bash
# The files for hosts, checked by the programs that read them: units by systemd, configurations by the proxies.

# How exposed a unit may be by systemd's count, in tenths.
readonly exposure=11

check_units() {
  local folder unit
  has systemd-analyze || apt_install systemd
  folder=$(mktemp -d)
  cp "$root"/deploy/systemd/*.{service,socket} "$folder"
  # The programs are not installed here.
  sed -i 's#^ExecStart=/usr/bin/halyard[^ ]*#ExecStart=/bin/true#' "$folder"/*.service
  for unit in "$folder"/*.service; do
    systemd-analyze verify --man=no "$unit"
    systemd-analyze security --offline=true --no-pager --threshold="$exposure" "$unit" >"$folder/security" ||
      { cat "$folder/security" >&2 && die "$unit is more exposed than $exposure tenths"; }
  done
  rm -r "$folder"
}

check_proxies() {
  local proxies folder paths file
  [[ -z ${HALYARD_WITHOUT_PROXIES:-} ]] || { say "left out: HALYARD_WITHOUT_PROXIES is set" && return; }
  has openssl || apt_install openssl
  proxies=$(target_dir)/proxies
  prepare_proxies "$proxies"
  folder=$(mktemp -d)
  # Where nginx would write by its package's defaults.
  paths="client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s; access_log off;"
  openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout "$folder/tls.key" -out "$folder/tls.pem" 2>/dev/null
  for file in nginx.conf Caddyfile envoy.yaml; do
    sed "s#/etc/halyard/#$folder/#g; s#^http {#http { $paths#" "$root/deploy/proxies/$file" >"$folder/$file"
  done
  "$proxies/nginx" -t -q -p "$folder" -c "$folder/nginx.conf" -e stderr -g "pid $folder/pid;"
  HOME=$folder "$proxies/caddy" validate --adapter caddyfile --config "$folder/Caddyfile" 2>"$folder/log" ||
    { cat "$folder/log" >&2 && die "Caddyfile is not valid"; }
  "$proxies/envoy" --mode validate --log-level error -c "$folder/envoy.yaml" >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2 && die "envoy.yaml is not valid"; }
  rm -r "$folder"
}
