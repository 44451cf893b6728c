-- The few rows of counts change with every item. Room on their pages lets PostgreSQL change them in place.
ALTER TABLE item_counts SET (fillfactor = 10);
