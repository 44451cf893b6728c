-- serves 0040
-- Reports read the items in storage once, for their places and their ages.
DROP INDEX items_held_by_date;
DROP INDEX items_held;
CREATE INDEX items_held ON items (account_id, location_id, storage_place, seq, source, status, closed_at, discovery_date, created_at)
    WHERE source = 'found' AND status NOT IN ('SHIPPED', 'DELIVERED') AND (closed_at = 0 OR status NOT IN ('PICKUP', 'DISCARD', 'DONATE'));

-- Of two indexes that serve a query, SQLite uses the one that was created last.
DROP INDEX items_here;
CREATE INDEX items_here ON items (account_id, location_id, source, seq, status, closed_at)
    WHERE source = 'found' AND status NOT IN ('SHIPPED', 'DELIVERED')
    AND (closed_at = 0 OR status NOT IN ('PICKUP', 'DISCARD', 'DONATE'));

-- Items without a discovery date are found by the time when they were recorded. The color and the place are in the
-- index, so that reports do not read the items. On PostgreSQL they can be too long for an index. SQLite needs the
-- source in the index too, although it is the same for all of its rows.
DROP INDEX items_found;
CREATE INDEX items_found ON items
    (account_id, location_id, discovery_date, created_at, source, status, closed_at, color, discovery_place)
    WHERE source = 'found';
DROP INDEX items_outcome;
CREATE INDEX items_outcome ON items
    (account_id, location_id,
     (CASE WHEN status = 'PICKUP' THEN closed_at WHEN moved_at > 0 THEN moved_at ELSE created_at END),
     status, destination, discovery_date, created_at, moved_at, closed_at, source)
    WHERE source = 'found' AND status IN ('DELIVERED', 'PICKUP', 'DONATE', 'DISCARD');
