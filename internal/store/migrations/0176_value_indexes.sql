-- serves 0040
-- Lists of items that are worth at least an amount. In the order of the amount, the few items that are worth much are
-- found without reading the others.
CREATE INDEX items_by_value ON items
    (account_id, location_id, value_currency, value_amount, seq, source, status, closed_at)
    WHERE value_amount > 0;
