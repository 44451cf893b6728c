-- serves 0040
-- Lists of one category, in the order of creation, at a location and in the whole account.
CREATE INDEX items_by_category ON items (account_id, location_id, category, seq, source, status)
    WHERE category <> '';
CREATE INDEX items_by_category_of_account ON items (account_id, category, seq, location_id, source, status)
    WHERE category <> '';
