-- serves 0040
-- JSON; empty if not set.
ALTER TABLE locations ADD COLUMN opening_hours TEXT NOT NULL DEFAULT '';
ALTER TABLE locations ADD COLUMN closures TEXT NOT NULL DEFAULT '';
ALTER TABLE locations ADD COLUMN slots TEXT NOT NULL DEFAULT '';

-- The planned pick-ups of a location, by day and time.
CREATE INDEX items_planned ON items (account_id, location_id, pickup_date, pickup_time)
    WHERE status = 'PICKUP' AND pickup_planned AND closed_at = 0;
