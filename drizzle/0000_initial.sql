CREATE TYPE "api_key_scope" AS ENUM('read', 'write');--> statement-breakpoint
CREATE TYPE "pet_status" AS ENUM('available', 'pending', 'sold');--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"scope" "api_key_scope" NOT NULL,
	"digest" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"lifetime" interval,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_digest_unique" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"owner" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"item_id" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_owner_key_pk" PRIMARY KEY("owner","key")
);
--> statement-breakpoint
-- Makes lower case independent of the database's locale, as long as its version has one of these collations.
DO $$ BEGIN
	EXECUTE (
		SELECT 'CREATE COLLATION "case_folding" FROM ' || quote_ident(collname)
		FROM pg_collation
		JOIN unnest(ARRAY['pg_c_utf8', 'C.utf8', 'und-x-icu', 'C']) WITH ORDINALITY AS preferred (name, rank) ON name = collname
		WHERE collnamespace = 'pg_catalog'::regnamespace AND collencoding IN (-1, (SELECT encoding FROM pg_database WHERE datname = current_database()))
		ORDER BY rank LIMIT 1
	);
END $$;--> statement-breakpoint
CREATE TABLE "pets" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"name" varchar(1000) NOT NULL,
	"category_id" bigint NOT NULL,
	"status" "pet_status",
	"name_key" text collate "C" GENERATED ALWAYS AS (lower(left("pets"."name", 500) collate "case_folding")) STORED NOT NULL
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_created_at" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "pets_status_id" ON "pets" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "pets_category_id" ON "pets" USING btree ("category_id","id");--> statement-breakpoint
CREATE INDEX "pets_name" ON "pets" USING btree ("name_key","id");--> statement-breakpoint
-- Citus must not create the function on the workers: a distributed table has no triggers. Without Citus, this setting means nothing.
SET LOCAL citus.enable_ddl_propagation = off;--> statement-breakpoint
-- Notifies every server of the events of any table; src/db/events/event-notifications.ts reads them. A table's channel has its oid in its
-- name. An event that is too long for Postgres ends the subscriptions instead. Rows that one statement creates are announced by one call,
-- which takes half the time of a call for each. Postgres drops notifications that are equal: hence the ids. The session that writes may have
-- any search_path, so this names nothing outside of pg_catalog.
CREATE FUNCTION "send_events"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	channel text := 'pet_store_' || tg_relid;
	event text;
BEGIN
	IF tg_op = 'TRUNCATE' THEN
		PERFORM pg_notify(channel, 'reset');
	ELSIF current_setting('pet_store.silent', true) = 'on' THEN
		-- A transaction that changes many rows sends a reset itself.
		RETURN NULL;
	ELSIF tg_op = 'INSERT' THEN
		PERFORM pg_notify(channel, CASE WHEN octet_length(json) < 8000 THEN json ELSE 'reset' END)
		FROM (
			SELECT json_build_object('id', gen_random_uuid(), 'table', tg_table_name, 'kind', 'created', 'row', row_to_json(created))::text AS json FROM created
		) AS events;
	ELSIF tg_op = 'DELETE' THEN
		event := json_build_object('id', gen_random_uuid(), 'table', tg_table_name, 'kind', 'deleted', 'row', row_to_json(old));
	ELSIF new IS DISTINCT FROM old THEN
		event := json_build_object('id', gen_random_uuid(), 'table', tg_table_name, 'kind', 'updated', 'row', row_to_json(new), 'before', row_to_json(old));
	END IF;
	PERFORM pg_notify(channel, CASE WHEN octet_length(event) < 8000 THEN event ELSE 'reset' END) WHERE event IS NOT NULL;
	RETURN NULL;
END $$;--> statement-breakpoint
SET LOCAL citus.enable_ddl_propagation = on;--> statement-breakpoint
CREATE TRIGGER "pets_created" AFTER INSERT ON "pets" REFERENCING NEW TABLE AS "created" FOR EACH STATEMENT EXECUTE FUNCTION "send_events"();--> statement-breakpoint
CREATE TRIGGER "pets_changed" AFTER UPDATE OR DELETE ON "pets" FOR EACH ROW EXECUTE FUNCTION "send_events"();--> statement-breakpoint
CREATE TRIGGER "pets_truncated" AFTER TRUNCATE ON "pets" FOR EACH STATEMENT EXECUTE FUNCTION "send_events"();--> statement-breakpoint
-- Some platforms grant every new table to roles of the public. Here, each right has to be granted on purpose.
DO $$ DECLARE
	command text;
BEGIN
	FOR command IN
		SELECT DISTINCT format('REVOKE ALL ON %s FROM %s', oid::regclass, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
		FROM pg_class, aclexplode(relacl)
		WHERE grantee <> relowner AND oid IN (
			'pets'::regclass, 'pets_id_seq'::regclass, 'api_keys'::regclass, 'idempotency_keys'::regclass,
			'pet_store_migrations'::regclass, 'pet_store_migrations_id_seq'::regclass
		)
	LOOP
		EXECUTE command;
	END LOOP;
END $$;
