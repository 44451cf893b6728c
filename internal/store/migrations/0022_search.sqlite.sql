-- The index of words no longer keeps where in a text each of its trigrams stands: it is half as long to walk, and whether the whole word is there is seen in the row.
DROP TABLE items_search;
CREATE VIRTUAL TABLE items_search USING fts5 (search, content = 'items', content_rowid = 'seq', tokenize = 'trigram case_sensitive 1', detail = none);
INSERT INTO items_search (items_search) VALUES ('rebuild');
