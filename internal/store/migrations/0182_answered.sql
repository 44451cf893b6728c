-- serves 0040
-- When the desk first wrote to a claimant or decided about a request, so that it outlives the conversation. Rejections
-- that were undone in time are no answers.
ALTER TABLE items ADD COLUMN answered_at BIGINT NOT NULL DEFAULT 0;
UPDATE items SET answered_at = COALESCE((SELECT min(h.at) FROM item_history h
    WHERE h.account_id = items.account_id AND h.item_id = items.id
    AND (h.action IN ('request-accepted', 'question-asked')
        OR h.action = 'message-written' AND h.actor_kind NOT IN ('guest', 'public')
        OR h.action = 'request-rejected' AND NOT EXISTS (SELECT 1 FROM item_history u
            WHERE u.account_id = h.account_id AND u.item_id = h.item_id AND u.at >= h.at AND u.action = 'updated'
            AND u.note = 'The rejection was undone'))), 0)
    WHERE source = 'request';

-- Reports read the requests of a period from this index.
DROP INDEX items_filed;
CREATE INDEX items_filed ON items (account_id, location_id, created_at, claim_state, answered_at, id)
    WHERE source = 'request';
