-- serves 0040
-- Reports remember what they have read of items, so they need no index of their own.
DROP INDEX items_traits;
DROP INDEX items_long_traits;
