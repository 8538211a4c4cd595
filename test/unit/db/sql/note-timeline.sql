-- noteTimeline, prepared
insert into "primary_timelines" ("timeline")
select ('x' || left(file_name, 8))::bit(32)::integer
from pg_current_wal_insert_lsn() as lsn, pg_walfile_name_offset(lsn)
on conflict do nothing
