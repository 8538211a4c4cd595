#!/bin/sh
# Gets a certificate for DOMAIN from Let's Encrypt, or renews one that expires within 30 days, and copies it and its key to the directory
# CERTIFICATES, where only HAProxy's user can read the key. certbot keeps its files in LETSENCRYPT. Arguments are passed on to certbot.
set -e
certbot certonly --standalone --non-interactive --agree-tos --register-unsafely-without-email --keep-until-expiring \
  --config-dir "$LETSENCRYPT" --cert-name "$DOMAIN" --domain "$DOMAIN" "$@"
cd "$LETSENCRYPT/live/$DOMAIN"
cp fullchain.pem "$CERTIFICATES/$DOMAIN.pem"
cp privkey.pem "$CERTIFICATES/$DOMAIN.pem.key"
# The user of HAProxy in its image.
chown 99 "$CERTIFICATES/$DOMAIN.pem.key"
