-- serves 0040
-- PostgreSQL reads these columns from the table. A dump of SQLite can be loaded only into the same version, so this
-- version exists here too.
SELECT 1;
