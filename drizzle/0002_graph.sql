-- Makes lower case independent of the database's locale, as long as its version has one of these collations.
DO $$ BEGIN
	EXECUTE (
		SELECT 'CREATE COLLATION "pet_names" FROM ' || quote_ident(collname)
		FROM pg_collation
		JOIN unnest(ARRAY['pg_c_utf8', 'C.utf8', 'und-x-icu', 'C']) WITH ORDINALITY AS preferred (name, rank) ON name = collname
		WHERE collnamespace = 'pg_catalog'::regnamespace AND collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()))
		ORDER BY rank LIMIT 1
	);
END $$;--> statement-breakpoint
CREATE INDEX "pets_category_id" ON "pets" USING btree ("category_id","id");--> statement-breakpoint
CREATE INDEX "pets_status_category_id" ON "pets" USING btree ("status","category_id","id");--> statement-breakpoint
CREATE INDEX "pets_name" ON "pets" USING btree ((lower(left("name", 500) collate "pet_names") collate "C"),"id");--> statement-breakpoint
CREATE INDEX "pets_status_name" ON "pets" USING btree ("status",(lower(left("name", 500) collate "pet_names") collate "C"),"id");--> statement-breakpoint
CREATE INDEX "pets_category_name" ON "pets" USING btree ("category_id",(lower(left("name", 500) collate "pet_names") collate "C"),"id");--> statement-breakpoint
CREATE INDEX "pets_status_category_name" ON "pets" USING btree ("status","category_id",(lower(left("name", 500) collate "pet_names") collate "C"),"id");--> statement-breakpoint
-- Notifies every server of every event; src/db/change-notifications.ts reads it. A notification holds at most 8,000 bytes, so an
-- event with a long name takes several. The time makes each unique, since Postgres drops duplicates.
CREATE FUNCTION "notify_pet_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	pet "pets" := CASE WHEN tg_op = 'DELETE' THEN old ELSE new END;
	change text := json_build_object(
		'kind', CASE tg_op WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'updated' ELSE 'deleted' END,
		'id', pet."id"::text,
		'name', pet."name",
		'states', (
			SELECT json_agg(json_build_object(
				'categoryId', state."category_id"::text,
				'status', state."status",
				'nameKey', lower(left(state."name", 500) COLLATE "pet_names")
			)) FROM (SELECT pet.* UNION ALL SELECT old.* WHERE tg_op = 'UPDATE') AS state
		)
	);
	changed_at text := extract(epoch FROM clock_timestamp());
	parts integer := ceil(length(change) / 1900.0);
BEGIN
	FOR part IN 1..parts LOOP
		PERFORM pg_notify(
			'pet_changes',
			concat_ws(' ', changed_at, part, parts, substr(change, (part - 1) * 1900 + 1, 1900))
		);
	END LOOP;
	RETURN NULL;
END $$;--> statement-breakpoint
-- The session that writes may have a different search_path, or none.
ALTER FUNCTION "notify_pet_change"() SET search_path FROM CURRENT;--> statement-breakpoint
CREATE TRIGGER "pet_created_or_deleted" AFTER INSERT OR DELETE ON "pets"
	FOR EACH ROW EXECUTE FUNCTION "notify_pet_change"();--> statement-breakpoint
CREATE TRIGGER "pet_updated" AFTER UPDATE ON "pets"
	FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION "notify_pet_change"();--> statement-breakpoint
-- The deleted pets are unknown, so this sends an unreadable notification, which ends all subscriptions: clients then refetch.
CREATE FUNCTION "notify_pets_truncated"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('pet_changes', 'truncated');
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "pets_truncated" AFTER TRUNCATE ON "pets"
	FOR EACH STATEMENT EXECUTE FUNCTION "notify_pets_truncated"();
