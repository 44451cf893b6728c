-- Who may do what, and who is in.

ALTER TABLE api_keys ADD COLUMN role TEXT NOT NULL DEFAULT 'admin';
ALTER TABLE users ADD COLUMN locations TEXT NOT NULL DEFAULT ''; -- JSON array of ids, or '' for all

-- A log-in. The directory has the hash of its token.
CREATE TABLE sessions (
    account_id TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    user_id    TEXT    NOT NULL,
    lasting    BOOLEAN NOT NULL, -- the person wants to stay in
    address    TEXT    NOT NULL, -- where it was begun
    agent      TEXT    NOT NULL, -- with what
    created_at BIGINT  NOT NULL,
    seen_at    BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX sessions_of_user ON sessions (account_id, user_id, id);
CREATE INDEX sessions_over ON sessions (expires_at);
