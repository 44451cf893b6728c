-- serves 0040
-- What the columns of an imported file contain, as JSON; empty if its headings said so.
ALTER TABLE imports ADD COLUMN mapping TEXT NOT NULL DEFAULT '';
