-- deleteRequestCounts, not prepared
delete from "request_counts"
where "request_counts"."key" in (
  select "request_counts"."key"
  from "request_counts"
  where "request_counts"."expires_at" <= now()
  limit 10000 for update skip locked)
