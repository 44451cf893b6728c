-- By which rules a location's items were read for matching: those that know more read everything again.
ALTER TABLE locations ADD COLUMN match_rules BIGINT NOT NULL DEFAULT 0;
CREATE INDEX locations_match_rules ON locations (match_rules);

-- Where what is to be matched is: whoever asks for matches waits for those alone that can be among them.
ALTER TABLE jobs ADD COLUMN place TEXT NOT NULL DEFAULT '';
DROP INDEX jobs_matching;
CREATE INDEX jobs_matching ON jobs (account_id, place, created_at) WHERE kind IN ('match', 'match-again') AND state = 'due';
