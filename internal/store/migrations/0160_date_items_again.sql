-- serves 0040
-- Instances of older versions save items without store_until during a rolling update. A job for each account dates them
-- later.
INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at)
    SELECT account_id, 'job_' || substr(account_id, 5), 'date-account', '["0",""]', 'due', MAX(updated_at), MAX(updated_at)
    FROM locations WHERE deleted_at = 0 GROUP BY account_id;
