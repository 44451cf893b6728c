-- serves 0040
-- Lists of items at all locations of an account, newest first.
CREATE INDEX items_of_account ON items (account_id, seq, status, source, discovery_date, location_id);
CREATE INDEX items_requested_of_account ON items (account_id, seq, claim_state, location_id) WHERE source = 'request';

-- The number of the last change of a row, by which programs follow changes; 0 for rows that have not changed since this
-- column exists. They come first, in the order of their last change, so the expression is negative for them.
ALTER TABLE items ADD COLUMN change BIGINT NOT NULL DEFAULT 0;
CREATE INDEX items_by_change ON items
    (account_id, (CASE WHEN change > 0 THEN change ELSE updated_at - 9000000000000000 END), id, updated_at, location_id);
ALTER TABLE events ADD COLUMN change BIGINT NOT NULL DEFAULT 0;
CREATE INDEX events_by_change ON events
    (account_id, (CASE WHEN change > 0 THEN change ELSE at - 9000000000000000 END), id, at);

-- Items that were deleted in the last 30 days.
CREATE TABLE item_tombstones (
    account_id  TEXT   NOT NULL,
    item_id     TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    source      TEXT   NOT NULL,
    deleted_at  BIGINT NOT NULL,
    change      BIGINT NOT NULL,
    PRIMARY KEY (account_id, item_id)
);
CREATE INDEX item_tombstones_by_change ON item_tombstones (account_id, change, item_id, deleted_at, location_id);
CREATE INDEX item_tombstones_age ON item_tombstones (deleted_at);

-- The number of the last change in each account, for databases that count changes in a row.
CREATE TABLE change_counters (
    account_id TEXT   NOT NULL,
    n          BIGINT NOT NULL,
    PRIMARY KEY (account_id)
);

-- What is added to the number of a transaction to get the number of its changes: one row, or none. The table is never
-- copied to another database. cluster identifies the database server that numbers the transactions.
CREATE TABLE change_base (
    id      TEXT   NOT NULL PRIMARY KEY,
    cluster TEXT   NOT NULL,
    base    BIGINT NOT NULL
);
