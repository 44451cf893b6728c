-- serves 0040
-- Positions in lists of changes that a restore from a backup has made invalid: those between the last change that was
-- restored and the first number after the restore.
ALTER TABLE change_counters ADD COLUMN lost_after  BIGINT NOT NULL DEFAULT 0;
ALTER TABLE change_counters ADD COLUMN lost_before BIGINT NOT NULL DEFAULT 0;
