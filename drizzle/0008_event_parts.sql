-- How an event is sent: in the trigger's notifications and, on Citus, in the servers'. One holds at most 8,000 bytes, so an event with
-- a long text takes several parts.
CREATE FUNCTION "event_parts"("event" text) RETURNS integer LANGUAGE sql STABLE AS $$
	SELECT ceil(octet_length(event) / 7000.0)::integer
$$;--> statement-breakpoint
-- Cut by bytes, since Postgres counts characters from the start of a text. A character that begins in a part belongs to it as a whole.
CREATE FUNCTION "event_part"("event" text, "part" integer) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
	bytes bytea := convert_to(event, 'UTF8');
	size integer := octet_length(bytes);
	first integer := (part - 1) * 7000;
	next integer := part * 7000;
BEGIN
	WHILE first < size AND get_byte(bytes, first) & 192 = 128 LOOP first := first + 1; END LOOP;
	WHILE next < size AND get_byte(bytes, next) & 192 = 128 LOOP next := next + 1; END LOOP;
	RETURN convert_from(substr(bytes, first + 1, next - first), 'UTF8');
END $$;--> statement-breakpoint
-- The time makes each notification unique, since Postgres drops duplicates. A single SELECT, which Postgres inlines.
CREATE FUNCTION "event_notification"("event" text, "sent_at" text, "part" integer, "parts" integer) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT concat_ws(' ', sent_at, part, parts, CASE WHEN parts = 1 THEN event ELSE event_part(event, part) END)
$$;--> statement-breakpoint
-- Notifies every server of an event.
CREATE OR REPLACE FUNCTION "notify_pet_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	event text := CASE tg_op
		WHEN 'INSERT' THEN pet_event('created', row_to_json(new), NULL)
		WHEN 'UPDATE' THEN pet_event('updated', row_to_json(new), row_to_json(old))
		ELSE pet_event('deleted', row_to_json(old), NULL)
	END;
	sent_at text := extract(epoch FROM clock_timestamp());
	parts integer := event_parts(event);
BEGIN
	FOR part IN 1..parts LOOP
		PERFORM pg_notify('pet_changes', event_notification(event, sent_at, part, parts));
	END LOOP;
	RETURN NULL;
END $$;--> statement-breakpoint
-- The session that writes may have a different search_path, or none; CREATE OR REPLACE resets it.
ALTER FUNCTION "notify_pet_change"() SET search_path FROM CURRENT;
