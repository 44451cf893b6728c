-- Accounts own everything; account_id comes first in every key that is queried.
-- Times are microseconds since 1970 in UTC, 0 where there is none. Text is '' where there is none.

CREATE TABLE accounts (
    account_id  TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    disabled_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id)
);

-- The look-ups that begin without an account: an API key, an e-mail address, a permalink.
CREATE TABLE directory (
    kind       TEXT NOT NULL,
    hash       TEXT NOT NULL,
    account_id TEXT NOT NULL,
    subject    TEXT NOT NULL,
    PRIMARY KEY (kind, hash)
);
CREATE INDEX directory_subject ON directory (account_id, kind, subject);

CREATE TABLE api_keys (
    account_id TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    hint       TEXT    NOT NULL,
    read_only  BOOLEAN NOT NULL,
    locations  TEXT    NOT NULL, -- JSON array of ids, or '' for all
    expires_at BIGINT  NOT NULL DEFAULT 0,
    revoked_at BIGINT  NOT NULL DEFAULT 0,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (account_id, id)
);

CREATE TABLE users (
    account_id    TEXT   NOT NULL,
    id            TEXT   NOT NULL,
    email         TEXT   NOT NULL,
    name          TEXT   NOT NULL,
    role          TEXT   NOT NULL,
    password_hash TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    disabled_at   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id)
);

CREATE TABLE locations (
    account_id       TEXT   NOT NULL,
    id               TEXT   NOT NULL,
    permalink        TEXT   NOT NULL,
    name             TEXT   NOT NULL,
    name_key         TEXT   NOT NULL, -- folded, for the order of lists
    search           TEXT   NOT NULL, -- folded, for term
    website          TEXT   NOT NULL DEFAULT '',
    logo_url         TEXT   NOT NULL DEFAULT '',
    logo_file        TEXT   NOT NULL DEFAULT '',
    description      TEXT   NOT NULL DEFAULT '',
    type             TEXT   NOT NULL,
    storage_duration BIGINT,
    storage_place    TEXT   NOT NULL DEFAULT '',
    address1         TEXT   NOT NULL DEFAULT '',
    address2         TEXT   NOT NULL DEFAULT '',
    city             TEXT   NOT NULL DEFAULT '',
    state            TEXT   NOT NULL DEFAULT '',
    zip_code         TEXT   NOT NULL DEFAULT '',
    country          TEXT   NOT NULL DEFAULT '',
    contact_name     TEXT   NOT NULL DEFAULT '',
    contact_email    TEXT   NOT NULL DEFAULT '',
    contact_email2   TEXT   NOT NULL DEFAULT '',
    contact_phone    TEXT   NOT NULL DEFAULT '',
    pickup_from      TEXT   NOT NULL DEFAULT '',
    pickup_to        TEXT   NOT NULL DEFAULT '',
    time_zone        TEXT   NOT NULL DEFAULT '',
    charity          TEXT   NOT NULL DEFAULT '',
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    deleted_at       BIGINT NOT NULL DEFAULT 0, -- gone for everyone; a job removes the rows
    PRIMARY KEY (account_id, id)
);

-- Background work. due_at is when a job may be taken; taking it moves due_at past the
-- lease, so that a job whose worker died comes back by itself.
CREATE TABLE jobs (
    account_id TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    payload    TEXT   NOT NULL,
    state      TEXT   NOT NULL, -- due or failed
    due_at     BIGINT NOT NULL,
    attempt    BIGINT NOT NULL DEFAULT 0, -- counts up at each claim: whose it is
    failures   BIGINT NOT NULL DEFAULT 0,
    error      TEXT   NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX jobs_due ON jobs (due_at) WHERE state = 'due';

-- What a create answered, sealed, for those who ask again with the same Idempotency-Key.
CREATE TABLE answers (
    account_id TEXT   NOT NULL,
    once_key   TEXT   NOT NULL,
    request    TEXT   NOT NULL,
    answer     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, once_key)
);
CREATE INDEX answers_age ON answers (created_at);
