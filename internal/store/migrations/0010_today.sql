-- The start page: what needs doing, and numbers.

-- What waits at a desk, kind by kind.
CREATE INDEX tasks_of_kind ON tasks (account_id, location_id, kind, since, item_id);

-- Whoever comes for something is now a task on the day itself: what is planned is looked at once more.
UPDATE items SET look_at = 1 WHERE status = 'PICKUP' AND pickup_planned AND closed_at = 0;
