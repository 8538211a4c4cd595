-- listen, not prepared
do $$ begin execute 'listen pet_store_' || '"pets"'::regclass::oid; end $$
