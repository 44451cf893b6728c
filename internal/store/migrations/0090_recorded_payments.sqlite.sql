-- serves 0040
-- recorded_at is the value of updated_at when the payments of a shipment were recorded. Instances of older versions do
-- not set it during a rolling update, so that the shipments that they change are found and recorded later.
ALTER TABLE shipments ADD COLUMN recorded_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX shipments_unrecorded ON shipments (account_id, id) WHERE recorded_at <> updated_at;

-- What older versions have not recorded so far. See 0079.
INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, handling, currency)
    SELECT account_id, id, 'paid', location_id, item_id,
        CAST(strftime('%s', json_extract(detail, '$.PaidAt')) AS INTEGER) * 1000000,
        COALESCE(json_extract(detail, '$.Quote.Price.Postage'), 0),
        COALESCE(json_extract(detail, '$.Quote.Price.Handling'), 0), json_extract(detail, '$.Quote.Price.Currency')
    FROM (SELECT account_id, id, location_id, item_id, CASE WHEN detail LIKE '{%}' THEN detail END AS detail
        FROM shipments) AS s
    WHERE json_extract(detail, '$.PaidAt') > '0002' AND COALESCE(json_extract(detail, '$.PayBy'), '') <> 'test'
        AND json_extract(detail, '$.Quote.Price.Currency') <> ''
    ON CONFLICT (account_id, shipment_id, kind) DO NOTHING;
INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, handling, currency)
    SELECT p.account_id, p.shipment_id, 'refunded', p.location_id, p.item_id, s.updated_at, p.postage, p.handling,
        p.currency
    FROM payments p JOIN shipments s ON s.account_id = p.account_id AND s.id = p.shipment_id
    WHERE p.kind = 'paid' AND json_extract(CASE WHEN s.detail LIKE '{%}' THEN s.detail END, '$.Refund') = 'done'
    ON CONFLICT (account_id, shipment_id, kind) DO NOTHING;
UPDATE shipments SET recorded_at = updated_at;

-- The list of the items behind the payments of a report.
CREATE INDEX payments_of_item ON payments (account_id, item_id, kind, at);
