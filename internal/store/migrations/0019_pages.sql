-- Pages that are shown at once, however many items there are.

-- What was found in some days, the last first.
CREATE INDEX items_by_date ON items (account_id, location_id, discovery_date, seq, source, status, closed_at);

-- Requests are few among what was found.
CREATE INDEX items_requested ON items (account_id, location_id, claim_state, seq) WHERE source = 'request';

-- Who comes for something, whoever comes first at the top.
CREATE INDEX items_comers ON items (account_id, location_id, pickup_date, pickup_time, seq) WHERE status = 'PICKUP' AND closed_at = 0;
