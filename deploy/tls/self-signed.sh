#!/bin/sh
# Makes a self-signed certificate, $DOMAIN.pem, and its key in the working directory, unless there is one for DOMAIN already.
set -e
[ ! -f "$DOMAIN.pem" ] || exit 0
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj "/CN=$DOMAIN" \
  -addext "subjectAltName=DNS:$DOMAIN" -keyout "$DOMAIN.pem.key" -out "$DOMAIN.pem"
