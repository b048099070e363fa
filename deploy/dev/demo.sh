# shellcheck shell=bash
# The demo account: .dev/env for scripts, and lines to try for people.

# Makes the account unless it is there, and keeps what the command says about it.
demo_seed() {
  local bin=$1
  (umask 077 && "$bin/halyard" seed >"$state/seed.json")
}

demo_write_env() {
  local bin=$1 seeded dev
  seeded=$(<"$state/seed.json")
  # The environment whose slug is `dev`, as one object of the list.
  dev=$(printf '%s' "$seeded" | awk -v RS='{' '/"slug": *"dev"/')
  (
    umask 077
    {
      demo_assign HALYARD_URL "$(url_of "$CONTROL_HTTP_ADDR")"
      demo_assign HALYARD_EDGE_URL "$(url_of "$EDGE_HTTP_ADDR")"
      demo_assign HALYARD_ADMIN_URL "$(url_of "$CONTROL_ADMIN_ADDR")"
      demo_assign HALYARD_EDGE_ADMIN_URL "$(url_of "$EDGE_ADMIN_ADDR")"
      demo_assign HALYARD_QUIC_ADDR "$CONTROL_QUIC_ADDR"
      demo_assign HALYARD_BIN_DIR "$bin"
      demo_assign HALYARD_OWNER_EMAIL "$(json_text "$seeded" email)"
      demo_assign HALYARD_OWNER_PASSWORD "$(json_text "$seeded" password)"
      demo_assign HALYARD_PROJECT_ID "$(json_text "$seeded" project_id)"
      demo_assign HALYARD_ENV_ID "$(json_text "$dev" id)"
      demo_assign HALYARD_API_KEY "$(json_text "$dev" api_key)"
      demo_assign HALYARD_FLAG_KEY "$(json_text "$seeded" flag_key)"
      demo_assign HALYARD_MAIL_DIR "${SMTP_URL#dir:}"
      demo_assign HALYARD_DATABASE_URL "$DATABASE_URL"
      # What commands such as `halyard edge enroll` read from the environment.
      demo_assign DATABASE_URL "$DATABASE_URL"
      demo_assign CONTROL_QUIC_ADDR "$CONTROL_QUIC_ADDR"
      echo "export DATABASE_URL CONTROL_QUIC_ADDR"
      # By these `up` knows that nobody chose them.
      if [[ $(<"$state/database") == private ]]; then
        demo_assign HALYARD_DEV_GAVE "$DATABASE_URL $CONTROL_QUIC_ADDR"
        echo "export HALYARD_DEV_GAVE"
      fi
    } >"$state/env.new"
    mv "$state/env.new" "$state/env"
  )
}

# Whether the separate edge gives the demo flag a value. Spoken by hand: this machine may have no client.
demo_answers() {
  local body answer address
  # shellcheck source=/dev/null
  . "$state/env"
  body="{\"flag_key\": \"$HALYARD_FLAG_KEY\", \"context\": {\"key\": \"user-1\"}}"
  address=${HALYARD_EDGE_URL#http://}
  exec 3<>"/dev/tcp/${address%:*}/${address##*:}" || return 1
  printf 'POST /v1/evaluate HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nX-API-Key: %s\r\n' \
    "$address" "$HALYARD_API_KEY" >&3
  printf 'Content-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' "${#body}" "$body" >&3
  answer=$(cat <&3)
  exec 3>&-
  [[ $answer == *'"reason":'* && $answer != *NOT_FOUND* ]]
}

demo_assign() {
  [[ -n $2 ]] || die "the demo account has no value for $1"
  printf '%s=%q\n' "$1" "$2"
}

# The first text of that name in a JSON document; good enough for what `halyard seed` prints.
json_text() {
  printf '%s' "$1" | tr '\n' ' ' | grep -o "\"$2\" *: *\"[^\"]*\"" | sed -n '1s/.*: *"\(.*\)"$/\1/p'
}

# An address to call: what listens on all interfaces is called on the loopback one.
url_of() {
  local address=$1
  case $address in
    0.0.0.0:* | '[::]:'*) address=127.0.0.1:${address##*:} ;;
  esac
  echo "http://$address"
}

demo_print() {
  # shellcheck source=/dev/null
  (
    . "$state/env"
    cat <<TEXT

Halyard is ready.
  dashboard       $HALYARD_URL
  demo login      $HALYARD_OWNER_EMAIL   $HALYARD_OWNER_PASSWORD
  API             $HALYARD_URL/docs
  separate edge   $HALYARD_EDGE_URL
  for scripts     . .dev/env
  link for edges  $HALYARD_QUIC_ADDR (UDP)

Evaluate a flag at the edge:
  curl -s $HALYARD_EDGE_URL/v1/evaluate -H 'X-API-Key: $HALYARD_API_KEY' \\
    -H 'Content-Type: application/json' \\
    -d '{"flag_key": "$HALYARD_FLAG_KEY", "context": {"key": "user-1"}}'

Follow changes there, in a second terminal:
  curl -sN $HALYARD_EDGE_URL/v1/stream/dev -H 'X-API-Key: $HALYARD_API_KEY'

Switch it off at the control plane (and on with true), then evaluate again:
  token=\$(curl -s $HALYARD_URL/v1/auth/login -H 'Content-Type: application/json' \\
    -d '{"email": "$HALYARD_OWNER_EMAIL", "password": "$HALYARD_OWNER_PASSWORD"}' |
    sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -s -X PUT -H "Authorization: Bearer \$token" -H 'Content-Type: application/json' \\
    $HALYARD_URL/v1/projects/$HALYARD_PROJECT_ID/flags/$HALYARD_FLAG_KEY/environments/$HALYARD_ENV_ID \\
    -d '{"enabled": false}'

Enroll another edge; what it prints starts it (give it other addresses than the edge that runs):
  . .dev/env && "\$HALYARD_BIN_DIR/halyard" edge enroll --name second --out .dev/second
TEXT
  )
}
