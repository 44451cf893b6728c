-- serves 0040
-- How far the desk has got with the owner of a pending found item; without meaning for others. The background check sets
-- the rest for items with an owner.
ALTER TABLE items ADD COLUMN owner_state TEXT NOT NULL DEFAULT 'no-owner';
UPDATE items SET owner_state = 'told', look_at = 1 WHERE source = 'found' AND status = 'PENDING'
    AND (owner_email <> '' OR owner_phone <> '') AND disowned_at = 0;

-- Pending found items by the state of their owner, at one location and in the whole account, newest first.
CREATE INDEX items_by_owner_state            ON items (account_id, location_id, owner_state, seq, discovery_date)
    WHERE source = 'found' AND status = 'PENDING';
CREATE INDEX items_by_owner_state_of_account ON items (account_id, owner_state, seq, location_id)
    WHERE source = 'found' AND status = 'PENDING';
