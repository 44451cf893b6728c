-- serves 0040
-- The way back to the request that left something: its id, and after a blank the span in which it was left, where somebody collects those.
ALTER TABLE jobs       ADD COLUMN trail TEXT NOT NULL DEFAULT '';
ALTER TABLE events     ADD COLUMN trail TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN trail TEXT NOT NULL DEFAULT '';

-- What was given up is counted for whoever watches the service, and removed after a while; both without a look at what waits.
CREATE INDEX jobs_failed ON jobs (due_at, kind) WHERE state = 'failed';
