-- serves 0040
-- The language of the dashboard for a user; empty for the language of the browser.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
