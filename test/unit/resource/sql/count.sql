-- select crates, not prepared
-- $1 = {"small","large"}, $2 = {"7","8"}, $3 = 50\%%, $4 = fragile
select
  count(*)
from
  "crates"
where
  (
    "crates"."size" = any ($1::crate_size[])
    and "crates"."owner_id" = any ($2::bigint[])
    and "crates"."label_key" like $3::text
    and "crates"."note" = $4::text
  )

-- select crates, not prepared
-- $1 = {"7"}
select
  "size",
  count(*)
from
  "crates"
where
  "crates"."owner_id" = any ($1::bigint[])
group by
  "crates"."size"
