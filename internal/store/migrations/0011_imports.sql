-- Files of items on their way into a location.
CREATE TABLE imports (
    account_id  TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    location_id TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    file        TEXT    NOT NULL, -- its name
    digest      TEXT    NOT NULL, -- of its bytes
    total       BIGINT  NOT NULL, -- rows that become items
    done        BIGINT  NOT NULL, -- of these, so far
    bad         BIGINT  NOT NULL, -- rows that cannot
    problems    TEXT    NOT NULL, -- JSON array: what is wrong with the first of them
    unknown     TEXT    NOT NULL, -- JSON array of headings
    owners      BIGINT  NOT NULL,
    tell        BOOLEAN NOT NULL,
    told        BIGINT  NOT NULL,
    taken_back  BIGINT  NOT NULL, -- items that are gone again
    stayed      BIGINT  NOT NULL, -- items that are not, because somebody had acted on them
    why         TEXT    NOT NULL,
    actor_kind  TEXT    NOT NULL,
    actor_id    TEXT    NOT NULL,
    actor_name  TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    started_at  BIGINT  NOT NULL,
    ended_at    BIGINT  NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX imports_of_location ON imports (account_id, location_id, id);
CREATE INDEX imports_age ON imports (created_at);

-- Their rows, some to a piece, until the import has had its time.
CREATE TABLE import_pieces (
    account_id TEXT   NOT NULL,
    import_id  TEXT   NOT NULL,
    n          BIGINT NOT NULL,
    content    TEXT   NOT NULL, -- the rows
    items      TEXT   NOT NULL, -- JSON array of the ids of what they have become
    PRIMARY KEY (account_id, import_id, n)
);
