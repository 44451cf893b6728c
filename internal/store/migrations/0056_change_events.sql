-- serves 0040
-- The locations whose events an endpoint receives: a JSON array of ids, or '' for all.
ALTER TABLE endpoints ADD COLUMN locations TEXT NOT NULL DEFAULT '';

-- Most events are about single changes. Lists of the others do not read them.
CREATE INDEX events_rare ON events (account_id, id)
    WHERE type IN ('pickup', 'discard', 'donate', 'shipping-label', 'request', 'test');
CREATE INDEX events_rare_by_change ON events
    (account_id, (CASE WHEN change > 0 THEN change ELSE at - 9000000000000000 END), id, at)
    WHERE type IN ('pickup', 'discard', 'donate', 'shipping-label', 'request', 'test');
