-- serves 0040
-- Lists by the last day of storage test what else they are filtered by in the index, without reading each item. Items in
-- storage have an index of their own, because most of the earliest days are those of items that have left.
DROP INDEX items_by_store_until;
CREATE INDEX items_by_store_until ON items
    (account_id, location_id, store_until, seq, source, status, closed_at, category);
CREATE INDEX items_here_until ON items
    (account_id, location_id, store_until, seq, source, status, closed_at, category)
    WHERE source = 'found' AND status NOT IN ('SHIPPED', 'DELIVERED')
    AND (closed_at = 0 OR status NOT IN ('PICKUP', 'DISCARD', 'DONATE'));
