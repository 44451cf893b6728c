-- serves 0040
-- Reports group found items by category and finder too. They read all found items from this index, not from the much
-- larger table. SQLite needs the source in the index too, although it is the same for all of its rows.
DROP INDEX items_found;
CREATE INDEX items_found ON items
    (account_id, location_id, discovery_date, created_at, source, status, destination, moved_at, closed_at, color,
     discovery_place, storage_place, id, category, finder_name)
    WHERE source = 'found';
