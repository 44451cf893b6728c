-- serves 0040
-- Background runs that give items without a category the suggested one.
CREATE TABLE category_runs (
    account_id TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    state      TEXT   NOT NULL,
    position   TEXT   NOT NULL, -- id of the last item that was read or whose category was undone
    total      BIGINT NOT NULL, -- items without a category when the run began, up to a limit
    checked    BIGINT NOT NULL,
    changed    BIGINT NOT NULL,
    undone     BIGINT NOT NULL,
    actor_kind TEXT   NOT NULL,
    actor_id   TEXT   NOT NULL,
    actor_name TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at   BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX category_runs_active ON category_runs (account_id) WHERE state IN ('running', 'undoing');

-- What a run has set, so that it can be undone.
CREATE TABLE category_run_items (
    account_id TEXT NOT NULL,
    run_id     TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    category   TEXT NOT NULL,
    PRIMARY KEY (account_id, run_id, item_id)
);
