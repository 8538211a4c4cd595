-- An event as text. Each row is part of it as it is, so that a new column needs no new function. Servers of earlier versions read "id",
-- "name", "categoryId", "status" and "nameKey". Single SELECTs, which Postgres inlines.
CREATE FUNCTION "pet_state"("pet" json) RETURNS json LANGUAGE sql STABLE AS $$
	SELECT json_build_object(
		'row', pet,
		'categoryId', pet->>'category_id',
		'status', pet->'status',
		'nameKey', lower(left(pet->>'name', 500) COLLATE "pet_names")
	)
$$;--> statement-breakpoint
CREATE FUNCTION "pet_event"("kind" text, "pet" json, "before" json) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT json_build_object(
		'kind', kind,
		'id', pet->>'id',
		'name', pet->'name',
		'states', CASE WHEN before IS NULL
			THEN json_build_array(pet_state(pet))
			ELSE json_build_array(pet_state(pet), pet_state(before))
		END
	)::text
$$;--> statement-breakpoint
-- Notifies every server of an event. A notification holds at most 8,000 bytes, so an event with a long text takes several. The time
-- makes each unique, since Postgres drops duplicates.
CREATE OR REPLACE FUNCTION "notify_pet_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	event text := CASE tg_op
		WHEN 'INSERT' THEN pet_event('created', row_to_json(new), NULL)
		WHEN 'UPDATE' THEN pet_event('updated', row_to_json(new), row_to_json(old))
		ELSE pet_event('deleted', row_to_json(old), NULL)
	END;
	changed_at text := extract(epoch FROM clock_timestamp());
	parts integer := ceil(length(event) / 1900.0);
BEGIN
	FOR part IN 1..parts LOOP
		PERFORM pg_notify(
			'pet_changes',
			concat_ws(' ', changed_at, part, parts, substr(event, (part - 1) * 1900 + 1, 1900))
		);
	END LOOP;
	RETURN NULL;
END $$;--> statement-breakpoint
-- The session that writes may have a different search_path, or none; CREATE OR REPLACE resets it.
ALTER FUNCTION "notify_pet_change"() SET search_path FROM CURRENT;
