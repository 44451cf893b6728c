-- Ways in without a password: passkeys, and providers who say who somebody is.

CREATE TABLE passkeys (
    account_id TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    credential TEXT   NOT NULL, -- JSON; the directory has the hash of what the device calls it
    used_at    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX passkeys_of_user ON passkeys (account_id, user_id, id);

-- Who a user is at a provider. The directory has the hash of issuer and subject.
CREATE TABLE identities (
    account_id TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    user_id    TEXT   NOT NULL,
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    used_at    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX identities_of_user ON identities (account_id, user_id, issuer);

-- What was begun and waits for an answer, by the hash of what the answer names. Whoever logs in belongs to no account yet.
CREATE TABLE challenges (
    hash       TEXT   NOT NULL PRIMARY KEY,
    kind       TEXT   NOT NULL,
    account_id TEXT   NOT NULL, -- '' while nobody is known
    user_id    TEXT   NOT NULL,
    data       TEXT   NOT NULL, -- sealed
    expires_at BIGINT NOT NULL
);
CREATE INDEX challenges_over ON challenges (expires_at);
