-- countCrates, not prepared
-- $1 = {"small","large"}, $2 = {"small","large"}, $3 = {"7","8"}, $4 = {"7","8"}, $5 = 50\%%, $6 = 50\%%
select count(*)
from "crates"
where (($1::crate_size[] is null or "crates"."size" = any($2::crate_size[]))
  and ($3::bigint[] is null or "crates"."owner_id" = any($4::bigint[]))
  and ($5::text is null or "crates"."label_key" like $6::text))

-- countCratesBy, not prepared
-- $1 = NULL, $2 = NULL, $3 = {"7"}, $4 = {"7"}, $5 = NULL, $6 = NULL
select "size", count(*)
from "crates"
where (($1::crate_size[] is null or "crates"."size" = any($2::crate_size[]))
  and ($3::bigint[] is null or "crates"."owner_id" = any($4::bigint[]))
  and ($5::text is null or "crates"."label_key" like $6::text)) group by "crates"."size"
