-- Lists of items that somebody looks at often.
CREATE TABLE views (
    account_id TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    user_id    TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    query      TEXT    NOT NULL, -- what narrows the list, as an address has it
    shared     BOOLEAN NOT NULL,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX views_of_user ON views (account_id, user_id, id);
CREATE INDEX views_shared ON views (account_id, id) WHERE shared;

-- What has one status, newest first, however few of many items those are.
CREATE INDEX items_by_status ON items (account_id, location_id, source, status, seq, closed_at);
