-- serves 0040
-- How long items are stored by category and value, as JSON; '' if there are no rules.
ALTER TABLE locations ADD COLUMN keeping_rules TEXT NOT NULL DEFAULT '';

-- The last day of storage by the rules of the location, as it was when the item was last saved or dated; 'none' if there
-- is no limit. It only sorts and finds items. What people see is computed from the present rules.
ALTER TABLE items ADD COLUMN store_until TEXT NOT NULL DEFAULT 'none';
CREATE INDEX items_by_store_until ON items (account_id, location_id, store_until, seq);
DROP INDEX items_kept;

-- A job for each location dates the items that were saved before.
INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at)
    SELECT account_id, 'job_' || substr(id, 5), 'date-items', '["' || id || '","0"]', 'due', updated_at, updated_at
    FROM locations WHERE deleted_at = 0;

-- Of which last days of storage people were told.
CREATE INDEX notices_of_storage ON notices (account_id, item_id) WHERE kind = 'storage';
