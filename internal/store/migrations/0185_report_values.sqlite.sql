-- serves 0040
-- Reports add up what found items are worth too, and read all found items from this index.
DROP INDEX items_found;
CREATE INDEX items_found ON items
    (account_id, location_id, discovery_date, created_at, source, status, destination, moved_at, closed_at, color,
     discovery_place, storage_place, id, category, finder_name, value_amount, value_currency)
    WHERE source = 'found';
