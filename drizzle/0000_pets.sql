CREATE TYPE "public"."pet_status" AS ENUM('available', 'pending', 'sold');--> statement-breakpoint
CREATE TABLE "pets" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "pets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"category_id" bigint NOT NULL,
	"status" "pet_status"
);
--> statement-breakpoint
CREATE INDEX "pets_status_id" ON "pets" USING btree ("status","id");