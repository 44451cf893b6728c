CREATE INDEX locations_by_name ON locations (account_id, name_key, id);

CREATE UNIQUE INDEX items_reference ON items (account_id, reference);
-- Lists are walked and counted in this index alone, whatever they filter by.
CREATE INDEX items_newest ON items (account_id, location_id, seq, status, source, discovery_date);

-- How many items a location has, so that no list counts them. Several rows share each number,
-- by the item's id, so that creates at one busy location do not wait for each other.
CREATE TABLE item_counts (
    account_id  TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    source      TEXT   NOT NULL,
    status      TEXT   NOT NULL,
    part        BIGINT NOT NULL,
    n           BIGINT NOT NULL,
    PRIMARY KEY (account_id, location_id, source, status, part)
);

CREATE TABLE item_history (
    account_id  TEXT   NOT NULL,
    item_id     TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    actor_kind  TEXT   NOT NULL,
    actor_id    TEXT   NOT NULL,
    actor_name  TEXT   NOT NULL,
    action      TEXT   NOT NULL,
    from_status TEXT   NOT NULL DEFAULT '',
    to_status   TEXT   NOT NULL DEFAULT '',
    fields      TEXT   NOT NULL DEFAULT '', -- JSON array of names
    note        TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (account_id, item_id, id)
);
