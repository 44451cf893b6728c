-- Who did what to the account as a whole. Lines are added and never changed; upkeep removes those that are years old.
CREATE TABLE audit (
    account_id TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    actor_kind TEXT   NOT NULL,
    actor_id   TEXT   NOT NULL,
    actor_name TEXT   NOT NULL,
    deed       TEXT   NOT NULL,
    subject    TEXT   NOT NULL, -- id of what it was done to
    note       TEXT   NOT NULL, -- never about a guest
    PRIMARY KEY (account_id, id)
);
CREATE INDEX audit_of_actor ON audit (account_id, actor_id, id);
CREATE INDEX audit_of_deed ON audit (account_id, deed, id);
CREATE INDEX audit_age ON audit (at);

-- When an endpoint last took something, to the minute.
ALTER TABLE endpoints ADD COLUMN delivered_at BIGINT NOT NULL DEFAULT 0;

-- Messages are listed by what became of them, for the account and for one location.
CREATE INDEX messages_of_state ON messages (account_id, state, id);
CREATE INDEX messages_of_location ON messages (account_id, location_id, state, id);

-- How many days after an item has ended what is kept of its guest is removed, and when that was done. A change after that has it done again.
-- Accounts that are there keep everything for ten years, until somebody chooses: an update removes nothing.
ALTER TABLE accounts ADD COLUMN guest_days BIGINT NOT NULL DEFAULT 3650;
ALTER TABLE items ADD COLUMN forgotten_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX items_ended ON items (account_id, (CASE WHEN source = 'request' THEN updated_at WHEN closed_at > 0 THEN closed_at ELSE moved_at END))
    WHERE forgotten_at < updated_at AND (closed_at > 0 OR status IN ('DELIVERED', 'DISCARD', 'DONATE') OR claim_state IN ('MATCHED', 'REJECTED', 'WITHDRAWN'));

-- Of how many items that was, day by day.
CREATE TABLE forgotten (
    account_id TEXT   NOT NULL,
    day        TEXT   NOT NULL,
    n          BIGINT NOT NULL,
    PRIMARY KEY (account_id, day)
);
