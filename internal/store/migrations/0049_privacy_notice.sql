-- serves 0040
-- The privacy notice that guests see: of a location, or of the account for locations without one.
ALTER TABLE locations ADD COLUMN privacy_text TEXT NOT NULL DEFAULT '';
ALTER TABLE locations ADD COLUMN privacy_url  TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts  ADD COLUMN privacy_text TEXT NOT NULL DEFAULT '';
ALTER TABLE accounts  ADD COLUMN privacy_url  TEXT NOT NULL DEFAULT '';
