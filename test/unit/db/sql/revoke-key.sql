-- delete api_keys, not prepared
-- $1 = k3v9x2ab
delete from "api_keys"
where
  "api_keys"."id" in (
    select
      "id"
    from
      "api_keys"
    where
      "api_keys"."id" = $1
    order by
      "api_keys"."id"
    for update
  )
returning
  "id",
  "name"
