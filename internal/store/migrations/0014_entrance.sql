-- How people get in: a second step, links that are good for one thing, and what was tried in vain.

ALTER TABLE users ADD COLUMN two_step_at BIGINT NOT NULL DEFAULT 0; -- since when a second step is asked for
ALTER TABLE users ADD COLUMN two_step_seed TEXT NOT NULL DEFAULT ''; -- sealed
ALTER TABLE users ADD COLUMN two_step_used BIGINT NOT NULL DEFAULT 0; -- the step of time of the last code
ALTER TABLE users ADD COLUMN recovery TEXT NOT NULL DEFAULT ''; -- JSON array of hashes
ALTER TABLE users ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;

ALTER TABLE sessions ADD COLUMN proven TEXT NOT NULL DEFAULT '["password"]'; -- JSON array
ALTER TABLE sessions ADD COLUMN waits BOOLEAN NOT NULL DEFAULT FALSE; -- for the second step

-- A link by which one person does one thing, once. Its token is derived from the service's secret; the directory has its hash.
CREATE TABLE tickets (
    account_id TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    user_id    TEXT   NOT NULL, -- whose it is; of an invitation, who invited
    email      TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    role       TEXT   NOT NULL,
    locations  TEXT   NOT NULL, -- JSON array of ids, or '' for all
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX tickets_of_kind ON tickets (account_id, kind, id);
CREATE INDEX tickets_over ON tickets (expires_at);

-- What was tried in vain of late, and when the next try is taken. Who tries belongs to no account yet. Whoever it is goes by
-- a number of bounded size, so that the table has a bound too.
CREATE TABLE throttles (
    kind     TEXT   NOT NULL,
    slot     BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    free_at  BIGINT NOT NULL,
    over_at  BIGINT NOT NULL,
    PRIMARY KEY (kind, slot)
);
CREATE INDEX throttles_over ON throttles (over_at);
