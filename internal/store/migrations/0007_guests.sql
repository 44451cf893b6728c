-- What guests and claimants are told and say.

ALTER TABLE items ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN recipient TEXT NOT NULL DEFAULT ''; -- JSON object
ALTER TABLE items ADD COLUMN claim_state TEXT NOT NULL DEFAULT ''; -- of a request
ALTER TABLE items ADD COLUMN claim TEXT NOT NULL DEFAULT ''; -- JSON object, likewise
ALTER TABLE items ADD COLUMN pickup_planned BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE items ADD COLUMN moved_by TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN moved_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN closed_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN disowned_at BIGINT NOT NULL DEFAULT 0;

-- When background work looks at the item next, for reminders and tasks; 0 for never. Like all background work it crosses accounts.
-- What is there already is looked at once.
ALTER TABLE items ADD COLUMN look_at BIGINT NOT NULL DEFAULT 1;
CREATE INDEX items_look ON items (look_at) WHERE look_at > 0;

ALTER TABLE locations ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE locations ADD COLUMN reminders TEXT NOT NULL DEFAULT ''; -- JSON object, '' for the usual ones
-- When the desk is next written to of what waits for it; 0 while nothing does.
ALTER TABLE locations ADD COLUMN digest_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX locations_digest ON locations (digest_at) WHERE digest_at > 0;

-- A link leads one address to one item. Its token is derived from the service's secret; the directory has its hash.
CREATE TABLE links (
    account_id  TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    item_id     TEXT   NOT NULL,
    address     TEXT   NOT NULL,
    version     BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    revoked_at  BIGINT NOT NULL DEFAULT 0,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX links_address ON links (account_id, item_id, address);

-- Messages to people. once names what an item's message is for: there is no second of the same name, unless the first was canceled.
CREATE TABLE messages (
    account_id  TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    location_id TEXT    NOT NULL,
    item_id     TEXT    NOT NULL,
    link_id     TEXT    NOT NULL DEFAULT '',
    kind        TEXT    NOT NULL,
    once        TEXT    NOT NULL,
    channel     TEXT    NOT NULL,
    address     TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    handovers   BIGINT  NOT NULL DEFAULT 0,
    provider_id TEXT    NOT NULL DEFAULT '',
    error       TEXT    NOT NULL DEFAULT '',
    about       TEXT    NOT NULL, -- JSON object: the item as the message tells of it
    created_at  BIGINT  NOT NULL,
    settled_at  BIGINT  NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX messages_once ON messages (account_id, item_id, location_id, once) WHERE state <> 'canceled';
CREATE INDEX messages_of_item ON messages (account_id, item_id, id);
CREATE INDEX messages_digest ON messages (created_at) WHERE item_id = '';

-- What waits for a location's desk.
CREATE TABLE tasks (
    account_id  TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    item_id     TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    since       BIGINT NOT NULL,
    PRIMARY KEY (account_id, item_id, kind)
);
CREATE INDEX tasks_of_location ON tasks (account_id, location_id, since, item_id, kind);

-- Each kind of job has its own row of those that are due: many of one kind hold up no other.
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (kind, due_at) WHERE state = 'due';
