-- serves 0040
-- Reports read the items in storage once, for their places and their ages.
DROP INDEX items_held_by_date;
DROP INDEX items_held;
CREATE INDEX items_held ON items (account_id, location_id, storage_place, seq, source, status, closed_at, discovery_date, created_at)
    WHERE source = 'found' AND status NOT IN ('SHIPPED', 'DELIVERED') AND (closed_at = 0 OR status NOT IN ('PICKUP', 'DISCARD', 'DONATE'));

-- Items without a discovery date are found by the time when they were recorded.
DROP INDEX items_found;
CREATE INDEX items_found ON items (account_id, location_id, discovery_date, created_at, status, closed_at)
    WHERE source = 'found';

-- Reports read the color and the place from the index. A row of an index has at most 2704 bytes, so long places have an
-- index of their own.
CREATE INDEX items_traits ON items (account_id, location_id, discovery_date, created_at, status, closed_at)
    INCLUDE (color, discovery_place)
    WHERE source = 'found' AND octet_length(discovery_place) <= 1600;
CREATE INDEX items_long_traits ON items (account_id, location_id, discovery_date, created_at)
    WHERE source = 'found' AND octet_length(discovery_place) > 1600;
