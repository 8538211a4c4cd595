-- listen, not prepared
listen "pet_store_events"
