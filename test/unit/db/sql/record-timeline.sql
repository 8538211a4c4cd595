-- recordTimeline, not prepared
insert into "primary_timelines" ("timeline")
select ('x' || left(file_name, 8))::bit(32)::integer
from (
  select case when not pg_is_in_recovery() then pg_current_wal_insert_lsn() end as lsn) as wal_end, pg_walfile_name_offset(lsn)
on conflict do nothing
