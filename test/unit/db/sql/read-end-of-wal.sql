-- readEndOfWal, prepared
select left(file_name, 8), (lsn - '0/0' - case when file_offset = 40 then 40 when file_offset % current_setting('wal_block_size')::integer = 24 then 24 else 0 end)::text
from (
  select case when not pg_is_in_recovery() then pg_current_wal_insert_lsn() end as lsn) as wal_end, pg_walfile_name_offset(lsn)
