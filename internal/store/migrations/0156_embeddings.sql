-- serves 0040
-- The meanings of texts of items as vectors, for matching. part names the text: the description, or what a photo shows.
-- vector is empty until it is computed, and '-' if there is none. version names the model.
CREATE TABLE embeddings (
    account_id TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    part       TEXT NOT NULL,
    text_hash  TEXT NOT NULL,
    version    TEXT NOT NULL,
    vector     TEXT NOT NULL,
    PRIMARY KEY (account_id, item_id, part)
);
CREATE INDEX embeddings_due ON embeddings (account_id, item_id, part) WHERE vector = '';

-- How far the vectors of all items of an account have been computed with a model.
CREATE TABLE embedding_runs (
    account_id TEXT    NOT NULL,
    version    TEXT    NOT NULL,
    position   TEXT    NOT NULL, -- id of the last item
    done       BOOLEAN NOT NULL,
    PRIMARY KEY (account_id)
);
