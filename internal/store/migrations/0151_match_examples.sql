-- serves 0040
-- The features that a suggestion was scored by, as JSON.
ALTER TABLE matches ADD COLUMN features TEXT NOT NULL DEFAULT '';
-- How much speaks for the other items that the request was compared with, in millionths of log odds.
ALTER TABLE matches ADD COLUMN rivals BIGINT NOT NULL DEFAULT 0;

-- The desk's decisions about suggestions: their features and the outcome, without ids or texts.
CREATE TABLE match_examples (
    account_id TEXT    NOT NULL,
    id         TEXT    NOT NULL, -- a hash with the secret of the service
    decided_at BIGINT  NOT NULL,
    accepted   BOOLEAN NOT NULL,
    likelihood TEXT    NOT NULL,
    score      BIGINT  NOT NULL, -- in millionths
    features   TEXT    NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX match_examples_age ON match_examples (account_id, decided_at, id);
