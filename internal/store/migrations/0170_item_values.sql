-- serves 0040
-- Lists of items with a value, in the order of creation, at a location and in the whole account. The amount, the currency
-- and what else such lists are filtered by are in the indexes, because few of these items are worth much.
CREATE INDEX items_by_value ON items
    (account_id, location_id, seq, value_amount, value_currency, source, status, closed_at)
    WHERE value_amount > 0;
CREATE INDEX items_by_value_of_account ON items
    (account_id, seq, location_id, value_amount, value_currency, source, status, closed_at)
    WHERE value_amount > 0;
