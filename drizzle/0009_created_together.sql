-- Pets created by one statement are announced by one call, which takes half the time of a call for each. A row is made JSON in a subquery or
-- a variable: as an argument, Postgres would copy the call to each place in the event that uses it. The number of a pet in its statement makes
-- its notifications unique, beside the time: of two pets with the same long name, Postgres would drop the parts that are alike.
CREATE FUNCTION "notify_pets_created"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	sent_at text := extract(epoch FROM clock_timestamp());
BEGIN
	PERFORM count(pg_notify('pet_changes', event_notification(event, concat_ws('-', sent_at, number), part, parts)))
	FROM (SELECT row_to_json(created) AS pet, row_number() OVER () AS number FROM created OFFSET 0) AS rows,
		pet_event('created', pet, NULL) AS event,
		event_parts(event) AS parts,
		generate_series(1, parts) AS part;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "notify_pet_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	pet json := CASE tg_op WHEN 'DELETE' THEN row_to_json(old) ELSE row_to_json(new) END;
	before json := CASE tg_op WHEN 'UPDATE' THEN row_to_json(old) END;
	event text := pet_event(CASE tg_op WHEN 'DELETE' THEN 'deleted' ELSE 'updated' END, pet, before);
	sent_at text := extract(epoch FROM clock_timestamp());
	parts integer := event_parts(event);
BEGIN
	FOR part IN 1..parts LOOP
		PERFORM pg_notify('pet_changes', event_notification(event, sent_at, part, parts));
	END LOOP;
	RETURN NULL;
END $$;--> statement-breakpoint
-- The session that writes may have a different search_path, or none; CREATE OR REPLACE resets it.
ALTER FUNCTION "notify_pets_created"() SET search_path FROM CURRENT;--> statement-breakpoint
ALTER FUNCTION "notify_pet_change"() SET search_path FROM CURRENT;--> statement-breakpoint
-- A table that Citus has distributed has no triggers. The trigger for deletions keeps its old name: to drop or rename it, Postgres would wait
-- for all who read, such as pg_dump.
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '"pets"'::regclass AND tgname = 'pet_created_or_deleted') THEN
		CREATE TRIGGER "pets_created" AFTER INSERT ON "pets" REFERENCING NEW TABLE AS "created"
			FOR EACH STATEMENT WHEN (current_setting('pet_store.silent', true) IS DISTINCT FROM 'on')
			EXECUTE FUNCTION "notify_pets_created"();
		CREATE OR REPLACE TRIGGER "pet_created_or_deleted" AFTER DELETE ON "pets"
			FOR EACH ROW WHEN (current_setting('pet_store.silent', true) IS DISTINCT FROM 'on')
			EXECUTE FUNCTION "notify_pet_change"();
	END IF;
END $$;
