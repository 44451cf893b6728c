-- serves 0040
-- Items by their serial numbers, which people write with and without spaces and hyphens.
CREATE INDEX items_by_serial_number ON items
    (account_id, lower(replace(replace(serial_number, ' ', ''), '-', '')), location_id, seq)
    WHERE serial_number <> '';
