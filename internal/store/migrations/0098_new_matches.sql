-- serves 0040
-- When another likely match was found for a request while the task to confirm one was open; 0 if never.
ALTER TABLE tasks ADD COLUMN renewed_at BIGINT NOT NULL DEFAULT 0;
DROP INDEX tasks_matches;
CREATE INDEX tasks_matches ON tasks (account_id, (CASE WHEN renewed_at > since THEN renewed_at ELSE since END), item_id)
    WHERE kind = 'confirm-match';
