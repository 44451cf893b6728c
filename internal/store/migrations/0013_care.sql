-- What a desk does for items beside their status: keeping them longer, handing them over, clearing them away.

ALTER TABLE items ADD COLUMN hold TEXT NOT NULL DEFAULT ''; -- why it is kept whatever the day
ALTER TABLE items ADD COLUMN destination TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN care TEXT NOT NULL DEFAULT ''; -- JSON object: until when it is kept at least, and its hand-over
CREATE INDEX items_on_hold ON items (account_id, location_id, seq) WHERE hold <> '';

-- The numbers of a location are counted in the index that its lists walk, alone.
DROP INDEX items_newest;
CREATE INDEX items_newest ON items (account_id, location_id, seq, status, source, discovery_date, created_at, moved_at, closed_at, destination);

-- A decision on items whose time is over. It is carried out when it can no longer be undone.
CREATE TABLE clearances (
    account_id  TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    destination TEXT   NOT NULL,
    state       TEXT   NOT NULL,
    actor_kind  TEXT   NOT NULL,
    actor_id    TEXT   NOT NULL,
    actor_name  TEXT   NOT NULL,
    items       BIGINT NOT NULL, -- how many
    left_out    BIGINT NOT NULL DEFAULT 0,
    created_at  BIGINT NOT NULL,
    until       BIGINT NOT NULL, -- it can be undone
    ended_at    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX clearances_of_location ON clearances (account_id, location_id, id);
CREATE INDEX clearances_over ON clearances (ended_at) WHERE ended_at > 0;

CREATE TABLE clearance_items (
    account_id   TEXT NOT NULL,
    clearance_id TEXT NOT NULL,
    item_id      TEXT NOT NULL,
    seen         BIGINT NOT NULL, -- when the item had last changed
    since        BIGINT NOT NULL, -- its time was over
    outcome      TEXT NOT NULL DEFAULT '', -- '' while it waits
    why          TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (account_id, clearance_id, item_id)
);
-- An item waits in one decision at most.
CREATE UNIQUE INDEX clearance_items_waiting ON clearance_items (account_id, item_id) WHERE outcome = '';
CREATE INDEX clearance_items_of_item ON clearance_items (account_id, item_id);
