-- serves 0040
-- The messages of the conversations between desks and guests. address is the guest's address in the form that identifies
-- a person: another owner of the item does not see the messages. sender is the address that a reply came from, if it is
-- another one.
CREATE TABLE thread_messages (
    account_id  TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    item_id     TEXT   NOT NULL,
    side        TEXT   NOT NULL,
    via         TEXT   NOT NULL,
    text        TEXT   NOT NULL,
    images      TEXT   NOT NULL DEFAULT '', -- JSON array
    actor_kind  TEXT   NOT NULL,
    actor_id    TEXT   NOT NULL,
    actor_name  TEXT   NOT NULL DEFAULT '',
    address     TEXT   NOT NULL,
    sender      TEXT   NOT NULL DEFAULT '',
    external_id TEXT   NOT NULL DEFAULT '',
    at          BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL DEFAULT 0,
    answered_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX thread_messages_of_item ON thread_messages (account_id, item_id, id);
CREATE UNIQUE INDEX thread_messages_external ON thread_messages (account_id, item_id, external_id)
    WHERE external_id <> '';
