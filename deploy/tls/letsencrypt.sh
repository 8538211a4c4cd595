#!/bin/sh
# Gets a certificate for DOMAIN from Let's Encrypt, or renews one that ends within 30 days, and copies it and its key into the directory
# CERTIFICATES, where only HAProxy's user may read the key. certbot keeps its files in LETSENCRYPT. Arguments are options of certbot.
set -e
certbot certonly --standalone --non-interactive --agree-tos --register-unsafely-without-email --keep-until-expiring \
  --config-dir "$LETSENCRYPT" --cert-name "$DOMAIN" --domain "$DOMAIN" "$@"
cd "$LETSENCRYPT/live/$DOMAIN"
cp fullchain.pem "$CERTIFICATES/$DOMAIN.pem"
cp privkey.pem "$CERTIFICATES/$DOMAIN.pem.key"
# In HAProxy's image, its user is 99.
chown 99 "$CERTIFICATES/$DOMAIN.pem.key"
