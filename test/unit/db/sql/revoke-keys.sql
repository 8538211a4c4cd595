-- delete api_keys, not prepared
-- $1 = shop
delete from "api_keys"
where
  "api_keys"."name" = $1
returning
  "id",
  "name"
