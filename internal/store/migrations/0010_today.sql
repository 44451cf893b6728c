-- The start page: what needs doing, and numbers.

-- When it is a task's turn: the oldest first, and of those who come today whoever comes first.
ALTER TABLE tasks ADD COLUMN turn BIGINT NOT NULL DEFAULT 0;
UPDATE tasks SET turn = since;

-- What waits at a desk, kind by kind, and at all desks of an account, however many there are.
CREATE INDEX tasks_of_kind ON tasks (account_id, location_id, kind, turn, item_id);
CREATE INDEX tasks_of_account ON tasks (account_id, kind, turn, item_id);

-- Whoever comes for something is now a task on the day itself, and before it to be seen: what is planned is looked at once more.
UPDATE items SET look_at = 1 WHERE status = 'PICKUP' AND pickup_planned AND closed_at = 0;
