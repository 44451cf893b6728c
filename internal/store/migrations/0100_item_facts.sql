-- serves 0040
-- What kind of thing an item is, its serial number, its value in minor units, and who handed it in.
ALTER TABLE items ADD COLUMN category TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN serial_number TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN value_amount BIGINT NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN value_currency TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN finder_name TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN finder_email TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN finder_phone TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN finder_wants_reward BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE items ADD COLUMN finder_claims_item BOOLEAN NOT NULL DEFAULT FALSE;

CREATE INDEX items_finder_email ON items (account_id, lower(finder_email), id) WHERE finder_email <> '';
