#!/bin/sh
# Makes $DOMAIN.pem and its key in the working directory, a certificate that is signed by itself, if there is none for DOMAIN yet.
set -e
[ ! -f "$DOMAIN.pem" ] || exit 0
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj "/CN=$DOMAIN" \
  -addext "subjectAltName=DNS:$DOMAIN" -keyout "$DOMAIN.pem.key" -out "$DOMAIN.pem"
