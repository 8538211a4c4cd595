-- sortKeys, prepared
-- $1 = {"Books"}
select
  lower(left(sent, 500) collate "case_folding")
from
  unnest($1::text[]) with ordinality as request (sent, number)
order by
  number
