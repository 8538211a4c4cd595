CREATE TABLE "primary_timelines" (
	"timeline" integer PRIMARY KEY NOT NULL
);
