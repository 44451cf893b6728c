-- serves 0040
-- recorded_at is the value of updated_at when the payments of a shipment were recorded. Instances of older versions do
-- not set it during a rolling update, so that the shipments that they change are found and recorded later.
ALTER TABLE shipments ADD COLUMN recorded_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX shipments_unrecorded ON shipments (account_id, id) WHERE recorded_at <> updated_at;

-- What older versions have not recorded so far. See 0079.
INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, handling, currency)
    SELECT account_id, id, 'paid', location_id, item_id,
        CAST(EXTRACT(EPOCH FROM CAST(detail ->> 'PaidAt' AS timestamptz)) * 1000000 AS BIGINT),
        COALESCE(CAST(detail #>> '{Quote,Price,Postage}' AS BIGINT), 0),
        COALESCE(CAST(detail #>> '{Quote,Price,Handling}' AS BIGINT), 0), detail #>> '{Quote,Price,Currency}'
    FROM (SELECT account_id, id, location_id, item_id,
            CASE WHEN detail LIKE '{%}' THEN CAST(detail AS json) END AS detail
        FROM shipments) AS s
    WHERE detail ->> 'PaidAt' > '0002' AND COALESCE(detail ->> 'PayBy', '') <> 'test'
        AND detail #>> '{Quote,Price,Currency}' <> ''
    ON CONFLICT (account_id, shipment_id, kind) DO NOTHING;
INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, handling, currency)
    SELECT p.account_id, p.shipment_id, 'refunded', p.location_id, p.item_id, s.updated_at, p.postage, p.handling,
        p.currency
    FROM payments p JOIN (SELECT account_id, id, updated_at,
            CASE WHEN detail LIKE '{%}' THEN CAST(detail AS json) END AS detail
        FROM shipments) AS s ON s.account_id = p.account_id AND s.id = p.shipment_id
    WHERE p.kind = 'paid' AND s.detail ->> 'Refund' = 'done'
    ON CONFLICT (account_id, shipment_id, kind) DO NOTHING;
UPDATE shipments SET recorded_at = updated_at;

-- The list of the items behind the payments of a report.
CREATE INDEX payments_of_item ON payments (account_id, item_id, kind, at);
