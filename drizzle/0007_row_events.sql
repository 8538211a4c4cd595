-- An event as text. Each row is sent as it is, so that a new column needs no new function; servers of earlier versions read "id", "name",
-- "categoryId", "status" and "nameKey". The name of the first row stands beside the rows, once.
CREATE FUNCTION "pet_event"("kind" text, "rows" jsonb) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT jsonb_build_object(
		'kind', kind,
		'id', rows->0->>'id',
		'name', rows->0->'name',
		'states', jsonb_agg(
			CASE number WHEN 1 THEN state - 'name' ELSE state END || jsonb_build_object(
				'categoryId', state->>'category_id',
				'status', state->'status',
				'nameKey', lower(left(state->>'name', 500) COLLATE "pet_names")
			) ORDER BY number
		)
	)::text FROM jsonb_array_elements(rows) WITH ORDINALITY AS row (state, number)
$$;--> statement-breakpoint
-- Notifies every server of an event. A notification holds at most 8,000 bytes, so an event with a long text takes several. The time
-- makes each unique, since Postgres drops duplicates.
CREATE FUNCTION "notify_event"("channel" text, "event" text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	sent_at text := extract(epoch FROM clock_timestamp());
	parts integer := ceil(length(event) / 1900.0);
BEGIN
	FOR part IN 1..parts LOOP
		PERFORM pg_notify(channel, concat_ws(' ', sent_at, part, parts, substr(event, (part - 1) * 1900 + 1, 1900)));
	END LOOP;
END $$;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "notify_pet_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM notify_event('pet_changes', CASE tg_op
		WHEN 'INSERT' THEN pet_event('created', jsonb_build_array(to_jsonb(new)))
		WHEN 'UPDATE' THEN pet_event('updated', jsonb_build_array(to_jsonb(new), to_jsonb(old)))
		ELSE pet_event('deleted', jsonb_build_array(to_jsonb(old)))
	END);
	RETURN NULL;
END $$;--> statement-breakpoint
-- The session that writes may have a different search_path, or none; CREATE OR REPLACE resets it.
ALTER FUNCTION "pet_event"(text, jsonb) SET search_path FROM CURRENT;--> statement-breakpoint
ALTER FUNCTION "notify_pet_change"() SET search_path FROM CURRENT;
