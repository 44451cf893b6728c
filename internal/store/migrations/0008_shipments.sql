-- How things are sent home, and what is paid for it.

ALTER TABLE items ADD COLUMN parcel TEXT NOT NULL DEFAULT ''; -- JSON object: what the item tells of its shipment
ALTER TABLE items ADD COLUMN not_shipped TEXT NOT NULL DEFAULT '';
ALTER TABLE locations ADD COLUMN shipping TEXT NOT NULL DEFAULT ''; -- JSON object, '' for the usual rules

CREATE TABLE shipments (
    account_id  TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    item_id     TEXT   NOT NULL,
    state       TEXT   NOT NULL,
    detail      TEXT   NOT NULL, -- JSON object: everything else
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX shipments_of_item ON shipments (account_id, item_id, id);

-- The numbers of invoices, without gaps in an account; those of tests are counted apart. They outlive what they were written for, and
-- name nobody.
CREATE TABLE invoices (
    account_id  TEXT    NOT NULL,
    test        BOOLEAN NOT NULL,
    number      BIGINT  NOT NULL,
    shipment_id TEXT    NOT NULL,
    amount      BIGINT  NOT NULL,
    tax         BIGINT  NOT NULL,
    currency    TEXT    NOT NULL,
    at          BIGINT  NOT NULL,
    PRIMARY KEY (account_id, test, number)
);
CREATE UNIQUE INDEX invoices_of_shipment ON invoices (account_id, shipment_id);
