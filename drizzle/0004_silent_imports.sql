-- A transaction that changes many pets sets pet_store.silent, and sends the notification 'reset' instead of one for each pet.
CREATE OR REPLACE TRIGGER "pet_created_or_deleted" AFTER INSERT OR DELETE ON "pets"
	FOR EACH ROW WHEN (current_setting('pet_store.silent', true) IS DISTINCT FROM 'on')
	EXECUTE FUNCTION "notify_pet_change"();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "pet_updated" AFTER UPDATE ON "pets"
	FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.* AND current_setting('pet_store.silent', true) IS DISTINCT FROM 'on')
	EXECUTE FUNCTION "notify_pet_change"();--> statement-breakpoint
-- Servers of the previous version cannot read it, and so end all subscriptions, too.
CREATE OR REPLACE FUNCTION "notify_pets_truncated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('pet_changes', 'reset');
	RETURN NULL;
END $$;
