-- serves 0040
-- Lists filtered by status and date read the dates from the index.
DROP INDEX items_by_status;
CREATE INDEX items_by_status ON items (account_id, location_id, source, status, seq, closed_at, discovery_date);

-- Of two indexes that serve a query, SQLite uses the one that was created last.
DROP INDEX items_here;
CREATE INDEX items_here ON items (account_id, location_id, source, seq, status, closed_at)
    WHERE source = 'found' AND status NOT IN ('SHIPPED', 'DELIVERED')
    AND (closed_at = 0 OR status NOT IN ('PICKUP', 'DISCARD', 'DONATE'));
