-- seq is the order of creation: lists walk it backwards. Here it is the row's number too, so
-- that the search table can point at it.
CREATE TABLE items (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id      TEXT    NOT NULL,
    id              TEXT    NOT NULL,
    location_id     TEXT    NOT NULL,
    reference       TEXT    NOT NULL,
    source          TEXT    NOT NULL,
    status          TEXT    NOT NULL,
    description     TEXT    NOT NULL,
    discovery_place TEXT    NOT NULL DEFAULT '',
    discovery_date  TEXT    NOT NULL DEFAULT '',
    brand           TEXT    NOT NULL DEFAULT '',
    model           TEXT    NOT NULL DEFAULT '',
    color           TEXT    NOT NULL DEFAULT '',
    storage_place   TEXT    NOT NULL DEFAULT '',
    notes           TEXT    NOT NULL DEFAULT '',
    image_url       TEXT    NOT NULL DEFAULT '',
    image_file      TEXT    NOT NULL DEFAULT '',
    images          TEXT    NOT NULL DEFAULT '', -- JSON array, newest first
    weight          DOUBLE PRECISION,
    weight_unit     TEXT    NOT NULL DEFAULT '',
    box_type        TEXT    NOT NULL DEFAULT '',
    is_document     BOOLEAN,
    tracking_number TEXT    NOT NULL DEFAULT '',
    owner_first     TEXT    NOT NULL DEFAULT '',
    owner_last      TEXT    NOT NULL DEFAULT '',
    owner_email     TEXT    NOT NULL DEFAULT '',
    owner_phone     TEXT    NOT NULL DEFAULT '',
    pickup_date     TEXT    NOT NULL DEFAULT '',
    pickup_time     TEXT    NOT NULL DEFAULT '',
    search          TEXT    NOT NULL, -- folded: what term looks in
    created_at      BIGINT  NOT NULL,
    updated_at      BIGINT  NOT NULL,
    UNIQUE (account_id, id),
    FOREIGN KEY (account_id, location_id) REFERENCES locations (account_id, id)
);

-- Any substring of search. The rows keep the text; this table keeps only the index.
CREATE VIRTUAL TABLE items_search USING fts5 (search, content = 'items', content_rowid = 'seq', tokenize = 'trigram case_sensitive 1');
CREATE TRIGGER items_search_insert AFTER INSERT ON items BEGIN
    INSERT INTO items_search (rowid, search) VALUES (new.seq, new.search);
END;
CREATE TRIGGER items_search_delete AFTER DELETE ON items BEGIN
    INSERT INTO items_search (items_search, rowid, search) VALUES ('delete', old.seq, old.search);
END;
CREATE TRIGGER items_search_update AFTER UPDATE OF search ON items WHEN old.search <> new.search BEGIN
    INSERT INTO items_search (items_search, rowid, search) VALUES ('delete', old.seq, old.search);
    INSERT INTO items_search (rowid, search) VALUES (new.seq, new.search);
END;
