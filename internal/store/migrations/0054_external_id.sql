-- serves 0040
-- Client programs' own ids and data on locations, items and requests. metadata is a JSON object, or empty.
ALTER TABLE locations ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE locations ADD COLUMN metadata    TEXT NOT NULL DEFAULT '';
ALTER TABLE items     ADD COLUMN external_id TEXT NOT NULL DEFAULT '';
ALTER TABLE items     ADD COLUMN metadata    TEXT NOT NULL DEFAULT '';

-- Records by external id: at one location, newest first, or in the whole account.
CREATE INDEX items_of_external_id     ON items (account_id, external_id, location_id, seq) WHERE external_id <> '';
CREATE INDEX locations_of_external_id ON locations (account_id, external_id) WHERE external_id <> '';
