-- serves 0040
-- The last complete backup of this database: one row, or none. The table is never copied to another database, so that
-- a restored or moved database does not count as backed up. made_at is when the rows were read, which is also the
-- age of the backup; finished_at is when its file was complete. files tells whether it contains photos and documents.
CREATE TABLE last_backup (
    id          TEXT    NOT NULL PRIMARY KEY,
    made_at     BIGINT  NOT NULL,
    finished_at BIGINT  NOT NULL,
    files       BOOLEAN NOT NULL
);
