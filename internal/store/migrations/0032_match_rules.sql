-- By which rules a location's items were read for matching: those that know more read everything again.
ALTER TABLE locations ADD COLUMN match_rules BIGINT NOT NULL DEFAULT 0;
CREATE INDEX locations_match_rules ON locations (match_rules);
