#!/bin/sh
# Prints the .env of compose.yaml with new secrets: ./env.sh api.example.com flags.example.com >.env
set -eu
umask 077
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
cat <<EOF
VERSION=0.2.0
CONTROL_HOST=${1:-api.example.com}
EDGE_HOST=${2:-flags.example.com}
# An e-mail address, with which Caddy gets certificates from a public authority, or internal: signed by itself.
TLS=internal
POSTGRES_PASSWORD=$(secret)
APP_SECRET=$(secret)
JWT_SECRET=$(secret)
GRAFANA_PASSWORD=$(secret)
# A folder instead of a mail server: .eml files in the volume mail.
SMTP_URL=dir:/var/lib/halyard
MAIL_FROM=Halyard <flags@${1:-api.example.com}>
EOF
