-- Addresses that client programs listen on. Secrets and headers are sealed.
CREATE TABLE endpoints (
    account_id    TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    url           TEXT    NOT NULL,
    events        TEXT    NOT NULL, -- JSON array of types, or '' for all
    enabled       BOOLEAN NOT NULL,
    description   TEXT    NOT NULL DEFAULT '',
    headers       TEXT    NOT NULL DEFAULT '', -- JSON object
    secret        TEXT    NOT NULL,
    old_secrets   TEXT    NOT NULL DEFAULT '', -- JSON array, newest first
    failing_since BIGINT  NOT NULL DEFAULT 0, -- the first of a row of failures, 0 after a success
    failed_at     BIGINT  NOT NULL DEFAULT 0, -- the last failure
    reason        TEXT    NOT NULL DEFAULT '', -- why the service switched it off
    created_at    BIGINT  NOT NULL,
    updated_at    BIGINT  NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX endpoints_failing ON endpoints (failing_since) WHERE failing_since > 0;

-- What happened, with the bytes that every attempt to tell of it sends.
CREATE TABLE events (
    account_id  TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    type        TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    location_id TEXT   NOT NULL,
    item_id     TEXT   NOT NULL,
    body        TEXT   NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX events_item ON events (account_id, item_id, id);
CREATE INDEX events_age ON events (at);

-- One event on its way to one endpoint. As with jobs, taking one moves due_at past the lease;
-- claim tells whose it is. Attempts are a JSON array, oldest first.
CREATE TABLE deliveries (
    account_id  TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    event_id    TEXT   NOT NULL,
    event_type  TEXT   NOT NULL,
    endpoint_id TEXT   NOT NULL,
    state       TEXT   NOT NULL,
    due_at      BIGINT NOT NULL DEFAULT 0,
    claim       BIGINT NOT NULL DEFAULT 0,
    failures    BIGINT NOT NULL DEFAULT 0,
    attempts    TEXT   NOT NULL DEFAULT '',
    created_at  BIGINT NOT NULL,
    settled_at  BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id)
);
-- The work to do and the failures to repair stay few, however many deliveries are done. Background work looks for what
-- is due across accounts, so its index does not begin with one.
CREATE INDEX deliveries_due ON deliveries (endpoint_id, due_at, account_id) WHERE state = 'pending';
CREATE INDEX deliveries_failed ON deliveries (account_id, endpoint_id, id) WHERE state = 'failed';
CREATE INDEX deliveries_of_endpoint ON deliveries (account_id, endpoint_id, id);
CREATE INDEX deliveries_of_event ON deliveries (account_id, event_id);
CREATE INDEX deliveries_age ON deliveries (created_at) WHERE state <> 'pending';
