-- update api_keys, not prepared
-- $1 = {"k3v9x2ab","m4w0y3bc"}, $2 = {"1970-01-01T00:00:00.000Z","1970-01-01T00:00:01.500Z"}
update "api_keys"
set
  "last_used_at" = greatest("api_keys"."last_used_at", used.at)
from
  (
    select
      "api_keys"."id",
      at
    from
      "api_keys"
      join unnest($1::text[], $2::timestamptz[]) as use (key, at) on "api_keys"."id" = key
    order by
      "api_keys"."id"
    for update of
      "api_keys"
  ) as used (id, at)
where
  "api_keys"."id" = used.id
