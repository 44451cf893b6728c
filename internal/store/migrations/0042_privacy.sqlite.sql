-- serves 0040
-- Removing one person from an account, and who saw guests' data.

-- By which a guest is found, wherever in the account.
CREATE INDEX items_owner_email ON items (account_id, lower(owner_email), id) WHERE owner_email <> '';
CREATE INDEX items_owner_phone ON items (account_id, owner_phone, id) WHERE owner_phone <> '';
CREATE INDEX links_of_address ON links (account_id, lower(address), item_id);
CREATE INDEX messages_of_address ON messages (account_id, lower(address), item_id);

-- Which record an answer tells of: it goes with what is kept of its guest.
ALTER TABLE answers ADD COLUMN subject TEXT NOT NULL DEFAULT '';
CREATE INDEX answers_subject ON answers (account_id, subject) WHERE subject <> '';

-- That somebody was removed. Whom it was about is not kept.
CREATE TABLE erasures (
    account_id TEXT   NOT NULL,
    id         TEXT   NOT NULL,
    actor_kind TEXT   NOT NULL,
    actor_id   TEXT   NOT NULL,
    actor_name TEXT   NOT NULL,
    erased     TEXT   NOT NULL, -- JSON object of numbers
    created_at BIGINT NOT NULL,
    done_at    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id)
);

CREATE INDEX audit_of_subject ON audit (account_id, subject, id);

-- The audit log is added to and never changed. What is years old is removed by upkeep alone, which says so here for as long as its transaction lasts.
CREATE TABLE audit_gate (
    account_id TEXT   NOT NULL,
    before     BIGINT NOT NULL,
    PRIMARY KEY (account_id)
);
CREATE TRIGGER audit_stays_update BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is not changed');
END;
CREATE TRIGGER audit_stays_delete BEFORE DELETE ON audit WHEN NOT EXISTS (SELECT 1 FROM audit_gate WHERE account_id = '' AND before > old.at) BEGIN
    SELECT RAISE(ABORT, 'the audit log is not changed');
END;

-- What is taken out of the index of words is taken out at once, and not when it is next tidied.
INSERT INTO items_search (items_search, rank) VALUES ('secure-delete', 1);
