-- delete api_keys, not prepared
-- $1 = k3v9x2ab
delete from "api_keys"
where
  "api_keys"."id" = $1
returning
  "id",
  "name"
