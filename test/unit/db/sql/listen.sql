-- listen, not prepared
listen "pet_changes"
