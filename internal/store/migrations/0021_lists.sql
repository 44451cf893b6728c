-- What a desk holds, newest first; that an item is held is written as in items_held.
CREATE INDEX items_here ON items (account_id, location_id, source, seq, status, closed_at)
    WHERE source = 'found' AND status NOT IN ('SHIPPED', 'DELIVERED') AND (closed_at = 0 OR status NOT IN ('PICKUP', 'DISCARD', 'DONATE'));

-- With the id, in whose order they are listed: without it, SQLite walks all of the account's in that order.
DROP INDEX deliveries_of_event;
CREATE INDEX deliveries_of_event ON deliveries (account_id, event_id, id);

-- With the state, although it is always the same: one condition more that it meets, and SQLite prefers it to deliveries_of_endpoint.
DROP INDEX deliveries_failed;
CREATE INDEX deliveries_failed ON deliveries (account_id, endpoint_id, state, id) WHERE state = 'failed';

-- Likewise with the source, before items_here is preferred.
DROP INDEX items_on_hold;
CREATE INDEX items_on_hold ON items (account_id, location_id, source, seq) WHERE hold <> '';
