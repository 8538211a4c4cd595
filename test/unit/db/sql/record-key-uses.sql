-- recordKeyUses, not prepared
-- $1 = {"k3v9x2ab","m4w0y3bc"}, $2 = {"1970-01-01T00:00:00.000Z","1970-01-01T00:00:01.500Z"}
update "api_keys"
set "last_used_at" = greatest("api_keys"."last_used_at", used.at)
from unnest($1::text[], $2::timestamptz[]) as used (id, at)
where "api_keys"."id" = used.id
