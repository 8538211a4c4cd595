--> statement-breakpoint
-- The events of orders.
CREATE TRIGGER "orders_created" AFTER INSERT ON "orders" REFERENCING NEW TABLE AS "created" FOR EACH STATEMENT EXECUTE FUNCTION "send_events"();--> statement-breakpoint
CREATE TRIGGER "orders_changed" AFTER UPDATE OR DELETE ON "orders" FOR EACH ROW EXECUTE FUNCTION "send_events"();--> statement-breakpoint
CREATE TRIGGER "orders_truncated" AFTER TRUNCATE ON "orders" FOR EACH STATEMENT EXECUTE FUNCTION "send_events"();--> statement-breakpoint
-- Nobody but the owner has privileges on them, unless they are granted on purpose.
DO $$ DECLARE
	command text;
BEGIN
	FOR command IN
		SELECT DISTINCT format('REVOKE ALL ON %s FROM %s', oid::regclass, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
		FROM pg_class, aclexplode(relacl)
		WHERE grantee <> relowner AND oid IN ('orders'::regclass, 'orders_id_seq'::regclass)
	LOOP
		EXECUTE command;
	END LOOP;
END $$;
