-- delete api_keys, not prepared
-- $1 = shop
delete from "api_keys"
where
  "api_keys"."id" in (
    select
      "id"
    from
      "api_keys"
    where
      "api_keys"."name" = $1
    order by
      "api_keys"."id"
    for update
  )
returning
  "id",
  "name"
