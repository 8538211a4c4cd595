-- announceChanges, prepared
-- $1 = {"3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11 1 1 {\"table\":\"pets\",\"kind\":\"created\",\"row\":{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":\"sold\",\"name_key\":\"rex\"},\"before\":null}"}
select count(pg_notify('pet_store_events', notification))
from unnest($1::text[]) as notification

-- announceChanges, prepared
-- $1 = {"3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11 1 1 {\"table\":\"pets\",\"kind\":\"updated\",\"row\":{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":null,\"name_key\":\"rex\"},\"before\":{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":\"sold\",\"name_key\":\"rex\"}}"}
select count(pg_notify('pet_store_events', notification))
from unnest($1::text[]) as notification

-- resetSubscriptions, not prepared
select pg_notify('pet_store_events', 'reset')
