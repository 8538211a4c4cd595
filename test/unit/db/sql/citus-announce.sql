-- announceChanges, prepared
-- $1 = {"{\"id\":\"3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11\",\"table\":\"crates\",\"kind\":\"created\",\"row\":{\"id\":\"11\",\"owner_id\":\"-7\",\"label\":\"books\",\"size\":\"small\",\"note\":null,\"unit\":\"box\",\"label_key\":\"books\"},\"before\":null}","{\"id\":\"3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11\",\"table\":\"crates\",\"kind\":\"updated\",\"row\":{\"id\":\"11\",\"owner_id\":\"-7\",\"label\":\"books\",\"size\":null,\"note\":null,\"unit\":\"box\",\"label_key\":\"books\"},\"before\":{\"id\":\"11\",\"owner_id\":\"-7\",\"label\":\"books\",\"size\":\"small\",\"note\":null,\"unit\":\"box\",\"label_key\":\"books\"}}"}
select
  count(
    pg_notify (
      'pet_store_' || quote_ident(event::json ->> 'table')::regclass::oid,
      case
        when octet_length(event) < 8000 then event
        else 'reset'
      end
    )
  )
from
  unnest($1::text[]) as event

-- resetSubscriptions, not prepared
select
  pg_notify ('pet_store_' || '"crates"'::regclass::oid, 'reset')
