-- countRequests, prepared
-- $1 = {"requests 600/60:shop"}, $2 = {2}, $3 = {60}
insert into "request_counts" ("key", "requests", "expires_at")
select key, requests, now() + seconds * interval '1 second'
from unnest($1::text[], $2::bigint[], $3::float8[]) as counted (key, requests, seconds)
order by key
on conflict ("key") do update
set "requests" = case when "request_counts"."expires_at" <= now() then 0 else "request_counts"."requests" end + excluded."requests", "expires_at" = case when "request_counts"."expires_at" <= now() then excluded."expires_at" else "request_counts"."expires_at" end
returning "request_counts"."key", "request_counts"."requests", ceil(extract(epoch
    from "request_counts"."expires_at" - now()) * 1000)::bigint
