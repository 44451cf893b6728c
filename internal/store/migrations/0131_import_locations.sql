-- serves 0040
-- The ids of the locations of the valid rows, as JSON, in an import whose rows have their own locations; otherwise empty.
ALTER TABLE imports ADD COLUMN locations TEXT NOT NULL DEFAULT '';
