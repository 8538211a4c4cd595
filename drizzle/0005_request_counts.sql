-- Unlogged, so that counting a request writes no log and waits for no disk. A crash or a failover empties the table.
CREATE UNLOGGED TABLE "request_counts" (
	"key" text PRIMARY KEY NOT NULL,
	"requests" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
