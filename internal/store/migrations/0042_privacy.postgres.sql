-- serves 0040
-- Removing one person from an account, and who saw guests' data.

-- By which a guest is found, wherever in the account.
CREATE INDEX items_owner_email ON items (account_id, (lower(owner_email)), id) WHERE owner_email <> '';
CREATE INDEX items_owner_phone ON items (account_id, owner_phone, id) WHERE owner_phone <> '';
CREATE INDEX links_of_address ON links (account_id, (lower(address)), item_id);
CREATE INDEX messages_of_address ON messages (account_id, (lower(address)), item_id);

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

-- The audit log is added to and never changed. What is years old is removed by upkeep alone, which says so in its transaction.
CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.at < COALESCE(NULLIF(current_setting('homeward.audit_before', true), ''), '0')::BIGINT THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is not changed';
END;
$$;
CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stays();
CREATE TRIGGER audit_stays_whole BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();

-- SQLite says here how far upkeep may remove; PostgreSQL has a setting for it, and the table only so that both have the same.
CREATE TABLE audit_gate (
    account_id TEXT   NOT NULL,
    before     BIGINT NOT NULL,
    PRIMARY KEY (account_id)
);
