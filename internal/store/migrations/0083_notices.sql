-- serves 0040
-- The notices that a member of staff has asked for. kinds is a JSON object by kind of notice.
CREATE TABLE notice_settings (
    account_id  TEXT    NOT NULL,
    user_id     TEXT    NOT NULL,
    kinds       TEXT    NOT NULL,
    active      BOOLEAN NOT NULL,
    quiet_from  TEXT    NOT NULL DEFAULT '',
    quiet_to    TEXT    NOT NULL DEFAULT '',
    time_zone   TEXT    NOT NULL DEFAULT '',
    digest_hour BIGINT  NOT NULL,
    locations   TEXT    NOT NULL DEFAULT '', -- JSON array; '' for all
    report_at   BIGINT  NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, user_id)
);
CREATE INDEX notice_settings_report ON notice_settings (report_at) WHERE report_at > 0;

-- How far the notices of an account have been written. There is a row while anybody of the account wants notices.
CREATE TABLE notice_cursors (
    account_id TEXT   NOT NULL PRIMARY KEY,
    cursor     TEXT   NOT NULL DEFAULT '', -- in the list of events
    since      BIGINT NOT NULL,            -- where the list begins while there is no cursor
    matches_at BIGINT NOT NULL,
    storage_at BIGINT NOT NULL
);

-- Notices, each for one person and one target: '' for e-mail, 'report' for monthly reports, or the id of a browser.
CREATE TABLE notices (
    account_id  TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    user_id     TEXT   NOT NULL,
    target      TEXT   NOT NULL,
    kind        TEXT   NOT NULL,
    subject     TEXT   NOT NULL,
    location_id TEXT   NOT NULL DEFAULT '',
    item_id     TEXT   NOT NULL DEFAULT '',
    attempts    BIGINT NOT NULL DEFAULT 0,
    due_at      BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    ended_at    BIGINT NOT NULL DEFAULT 0,
    outcome     TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX notices_once ON notices (account_id, user_id, target, kind, subject);
CREATE INDEX notices_due ON notices (due_at) WHERE ended_at = 0;
CREATE INDEX notices_ended ON notices (ended_at) WHERE ended_at > 0;

-- New likely matches. Other tasks are not in the index.
CREATE INDEX tasks_matches ON tasks (account_id, since, item_id) WHERE kind = 'confirm-match';

-- Items whose storage time the desk has extended, by their last day.
CREATE INDEX items_kept ON items (account_id, location_id, (substr(care, 1, 25)))
    WHERE substr(care, 1, 12) = '{"keepUntil"';
