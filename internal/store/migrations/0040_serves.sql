-- serves 0032
-- Which programs the schema serves after a step: those that know the steps up to this number at least, which the step says in its first line. From here on every step does.
ALTER TABLE schema_migrations ADD COLUMN serves BIGINT NOT NULL DEFAULT 0;
