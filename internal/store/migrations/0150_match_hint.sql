-- serves 0040
-- The likelihood from which a claimant's page says that the item may have been found; empty if it never does.
ALTER TABLE locations ADD COLUMN match_hint TEXT NOT NULL DEFAULT '';
