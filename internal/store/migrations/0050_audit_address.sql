-- serves 0040
-- From which address somebody acted. It is empty for operator commands, for the service and for guests.
ALTER TABLE audit ADD COLUMN address TEXT NOT NULL DEFAULT '';

-- The audit log filtered by address, and by who did what.
CREATE INDEX audit_of_address ON audit (account_id, address, id) WHERE address <> '';
CREATE INDEX audit_of_actor_deed ON audit (account_id, actor_id, deed, id);

-- From which address an erasure was requested, until it is done and the audit log has the address.
ALTER TABLE erasures ADD COLUMN actor_address TEXT NOT NULL DEFAULT '';
