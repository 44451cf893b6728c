-- serves 0040
-- Items by their serial numbers. serial_key is the number as it is compared: without spaces and dashes, in lower case.
-- Programs write it, because the databases know only ASCII here. Instances of older versions save items without it during
-- a rolling update. A job for each account writes it for all items, at once and a day later.
ALTER TABLE items ADD COLUMN serial_key TEXT NOT NULL DEFAULT '';
UPDATE items SET serial_key = lower(replace(replace(serial_number, ' ', ''), '-', '')) WHERE serial_number <> '';
CREATE INDEX items_by_serial_number ON items (account_id, serial_key, location_id, seq) WHERE serial_key <> '';
INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at)
    SELECT account_id, 'job_' || substr(account_id, 5) || '_177', 'date-account', '["1",""]', 'due', MAX(updated_at),
        MAX(updated_at)
    FROM locations WHERE deleted_at = 0 GROUP BY account_id;
