-- serves 0040
-- Work that only one instance of the service does at a time, such as reading the mailbox, and the instance that does
-- it until the lease expires. The table is never copied to another database.
CREATE TABLE leases (
    name       TEXT   NOT NULL PRIMARY KEY,
    holder     TEXT   NOT NULL,
    expires_at BIGINT NOT NULL
);
