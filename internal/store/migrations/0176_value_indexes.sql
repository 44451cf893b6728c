-- serves 0040
-- Lists of items that are worth at least an amount. In the order of the amount, the few items that are worth much are
-- found without reading the others. This replaces the index in the order of creation, and the one of the account.
DROP INDEX items_by_value;
DROP INDEX items_by_value_of_account;
CREATE INDEX items_by_value ON items
    (account_id, location_id, value_currency, value_amount, seq, source, status, closed_at)
    WHERE value_amount > 0;
