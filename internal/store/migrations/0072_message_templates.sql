-- serves 0040
-- The texts that an account's desks use again in messages to guests, each in one language.
CREATE TABLE message_templates (
    account_id TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    language   TEXT   NOT NULL,
    text       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
