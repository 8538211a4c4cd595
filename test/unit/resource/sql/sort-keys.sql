-- sortKeys, prepared
-- $1 = {"Books"}
select
  lower(left(text, 500) collate "case_folding")
from
  unnest($1::text[]) with ordinality as request (text, number)
order by
  number
