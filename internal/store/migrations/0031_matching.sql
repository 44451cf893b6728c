-- Which finds may be what a request is about.

-- What is kept of an item among the terms, so that it can be taken out again.
CREATE TABLE match_subjects (
    account_id TEXT   NOT NULL,
    item_id    TEXT   NOT NULL,
    pool       TEXT   NOT NULL,
    source     TEXT   NOT NULL,
    day        BIGINT NOT NULL,
    terms      TEXT   NOT NULL, -- hashes, as JSON
    look       BIGINT NOT NULL DEFAULT 0, -- counts up whenever it is looked for: which look is the latest
    PRIMARY KEY (account_id, item_id)
);
CREATE INDEX match_subjects_of_pool ON match_subjects (account_id, pool, source, item_id);

-- A pair that is suggested, or that somebody has refused: that one never comes back.
CREATE TABLE matches (
    account_id TEXT   NOT NULL,
    request_id TEXT   NOT NULL,
    item_id    TEXT   NOT NULL,
    score      BIGINT NOT NULL, -- in millionths
    likelihood TEXT   NOT NULL,
    refused_at BIGINT NOT NULL DEFAULT 0,
    refused_by TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (account_id, request_id, item_id)
);
CREATE INDEX matches_of_item ON matches (account_id, item_id, request_id);

-- Whether a location's finds and requests are compared with those of the account's others that have it set.
ALTER TABLE locations ADD COLUMN sisters BOOLEAN NOT NULL DEFAULT FALSE;

-- Whoever asks for matches waits for those that are being looked for.
CREATE INDEX jobs_matching ON jobs (account_id, created_at) WHERE kind IN ('match', 'match-again') AND state = 'due';
