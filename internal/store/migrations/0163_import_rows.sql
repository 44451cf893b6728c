-- serves 0040
-- Rows that have become items, and rows of imports that have ended, are no longer needed. They may contain numbers of
-- identity papers, of which items have only the last characters.
UPDATE import_pieces SET content = '[]' WHERE content <> '[]' AND (items <> '' OR EXISTS (SELECT 1 FROM imports i
    WHERE i.account_id = import_pieces.account_id AND i.id = import_pieces.import_id
    AND i.state IN ('done', 'cancelled', 'failed')));
