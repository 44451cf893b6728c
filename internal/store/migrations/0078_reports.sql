-- serves 0040
-- What reports read: found items by the day of discovery, and by the time when they were returned, donated, discarded or
-- handed to the police; items in storage by the day of discovery; and requests by the time when they were filed. The
-- indexes contain all columns that a report counts by, but not the color and the place, which can be too long.
CREATE INDEX items_found ON items
    (account_id, location_id, discovery_date, status, closed_at, created_at)
    WHERE source = 'found';
CREATE INDEX items_outcome ON items
    (account_id, location_id,
     (CASE WHEN status = 'PICKUP' THEN closed_at WHEN moved_at > 0 THEN moved_at ELSE created_at END),
     status, destination, discovery_date, created_at, moved_at, closed_at)
    WHERE source = 'found' AND status IN ('DELIVERED', 'PICKUP', 'DONATE', 'DISCARD');
CREATE INDEX items_held_by_date ON items (account_id, location_id, discovery_date, created_at)
    WHERE source = 'found' AND status NOT IN ('SHIPPED', 'DELIVERED') AND (closed_at = 0 OR status NOT IN ('PICKUP', 'DISCARD', 'DONATE'));
CREATE INDEX items_filed ON items (account_id, location_id, created_at, claim_state, id) WHERE source = 'request';

-- Payments and refunds of shipping fees. They outlive the shipments that they were made for, and name nobody. Test
-- payments are not recorded.
CREATE TABLE payments (
    account_id  TEXT   NOT NULL,
    shipment_id TEXT   NOT NULL,
    kind        TEXT   NOT NULL, -- paid or refunded
    location_id TEXT   NOT NULL,
    item_id     TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    postage     BIGINT NOT NULL,
    handling    BIGINT NOT NULL,
    currency    TEXT   NOT NULL,
    PRIMARY KEY (account_id, shipment_id, kind)
);
CREATE INDEX payments_of_location ON payments (account_id, location_id, kind, currency, at, postage, handling, item_id);
