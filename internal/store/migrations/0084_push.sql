-- serves 0040
-- The browsers that show push messages to members of staff. receiver is encrypted: anybody who knows it could send messages.
CREATE TABLE push_subscriptions (
    account_id TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    endpoint   TEXT   NOT NULL, -- a hash
    receiver   TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX push_subscriptions_of_user ON push_subscriptions (account_id, user_id, endpoint);
