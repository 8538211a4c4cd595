-- insert api_keys, not prepared
-- $1 = k3v9x2ab, $2 = shop, $3 = read, $4 = the-digest, $5 = 2027-01-01T00:00:00Z, $6 = 2027-01-01T00:00:00Z
insert into
  "api_keys" ("id", "name", "scope", "digest", "created_at", "expires_at", "lifetime", "last_used_at")
values
  ($1, $2, $3, $4, default, $5::timestamptz, $6::timestamptz - now(), default)
returning
  "scope",
  to_char("expires_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
