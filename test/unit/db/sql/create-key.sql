-- createKey, not prepared
-- $1 = k3v9x2ab, $2 = shop, $3 = read, $4 = the-digest, $5 = 2027-01-01T00:00:00Z
insert into "api_keys" ("id", "name", "scope", "digest", "expires_at") values ($1::text, $2::text, $3::api_key_scope, $4::text, $5::timestamptz)
