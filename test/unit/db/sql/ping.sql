-- ping, not prepared
select
