-- Storage places, and counting what is at them.

-- What a desk holds, by its place. The places of a location are walked in this index alone, from one to the next, and so is what is at each; that
-- an item is held is written here as in the queries, word for word, and SQLite looks at it once more.
CREATE INDEX items_held ON items (account_id, location_id, storage_place, seq, source, status, closed_at)
    WHERE source = 'found' AND status NOT IN ('SHIPPED', 'DELIVERED') AND (closed_at = 0 OR status NOT IN ('PICKUP', 'DISCARD', 'DONATE'));

-- A stock-take. Its numbers are kept when it is closed; until then they are counted from its lines.
CREATE TABLE counts (
    account_id  TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    location_id TEXT    NOT NULL,
    place       TEXT    NOT NULL,
    whole       BOOLEAN NOT NULL, -- all places of the location
    begun_by    TEXT    NOT NULL,
    closed_by   TEXT    NOT NULL DEFAULT '',
    tally       TEXT    NOT NULL DEFAULT '', -- JSON object
    created_at  BIGINT  NOT NULL,
    closed_at   BIGINT  NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX counts_of_location ON counts (account_id, location_id, id);
-- Whoever begins to count a place that is being counted takes part in that.
CREATE UNIQUE INDEX counts_open ON counts (account_id, location_id, whole, place) WHERE closed_at = 0;

-- What a count says of an item. It outlives the item with nothing but its reference.
CREATE TABLE count_lines (
    account_id TEXT    NOT NULL,
    count_id   TEXT    NOT NULL,
    item_id    TEXT    NOT NULL,
    reference  TEXT    NOT NULL,
    expected   BOOLEAN NOT NULL,
    finding    TEXT    NOT NULL DEFAULT '',
    seen_at    BIGINT  NOT NULL DEFAULT 0,
    seen_by    TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (account_id, count_id, item_id)
);
