-- serves 0040
-- Whether anybody may see a list of the location's finds, and the names of the areas that the list may show, as JSON.
ALTER TABLE locations ADD COLUMN public_register BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE locations ADD COLUMN public_areas TEXT NOT NULL DEFAULT '';
