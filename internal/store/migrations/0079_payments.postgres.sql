-- serves 0040
-- The payments and refunds so far. When a refund was made is not known, but its shipment was hardly changed afterwards.
INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, handling, currency)
    SELECT account_id, id, 'paid', location_id, item_id,
        CAST(EXTRACT(EPOCH FROM CAST(detail ->> 'PaidAt' AS timestamptz)) * 1000000 AS BIGINT),
        COALESCE(CAST(detail #>> '{Quote,Price,Postage}' AS BIGINT), 0),
        COALESCE(CAST(detail #>> '{Quote,Price,Handling}' AS BIGINT), 0), detail #>> '{Quote,Price,Currency}'
    FROM (SELECT account_id, id, location_id, item_id,
            CASE WHEN detail LIKE '{%}' THEN CAST(detail AS json) END AS detail
        FROM shipments) AS s
    WHERE detail ->> 'PaidAt' > '0002' AND COALESCE(detail ->> 'PayBy', '') <> 'test'
        AND detail #>> '{Quote,Price,Currency}' <> '';
INSERT INTO payments (account_id, shipment_id, kind, location_id, item_id, at, postage, handling, currency)
    SELECT p.account_id, p.shipment_id, 'refunded', p.location_id, p.item_id, s.updated_at, p.postage, p.handling,
        p.currency
    FROM payments p JOIN (SELECT account_id, id, updated_at,
            CASE WHEN detail LIKE '{%}' THEN CAST(detail AS json) END AS detail
        FROM shipments) AS s ON s.account_id = p.account_id AND s.id = p.shipment_id
    WHERE p.kind = 'paid' AND s.detail ->> 'Refund' = 'done';
