-- listen, not prepared
do $$ begin execute 'listen pet_store_' || '"crates"'::regclass::oid; end $$
