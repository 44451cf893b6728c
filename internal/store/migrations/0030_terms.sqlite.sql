-- By which terms what is sought can be found: finds that wait for their owner, and requests that wait for an answer. A pool is what is
-- compared with each other: a location, or the sister locations of an account together.
CREATE TABLE match_terms (
    account_id TEXT   NOT NULL,
    pool       TEXT   NOT NULL,
    source     TEXT   NOT NULL,
    term       BIGINT NOT NULL, -- a hash of the term
    day        BIGINT NOT NULL, -- since 1970
    item_id    TEXT   NOT NULL,
    PRIMARY KEY (account_id, pool, source, term, day, item_id)
) WITHOUT ROWID;
