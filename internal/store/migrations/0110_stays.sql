-- serves 0040
-- The hotel systems that locations are connected to. settings is encrypted: it holds credentials.
CREATE TABLE pms_connections (
    account_id   TEXT   NOT NULL,
    location_id  TEXT   NOT NULL,
    system       TEXT   NOT NULL,
    settings     TEXT   NOT NULL,
    connected_at BIGINT NOT NULL,
    tested_at    BIGINT NOT NULL DEFAULT 0,
    problem      TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (account_id, location_id)
);

-- The guest lists of locations. A list counts once all of its rows are stored, and until it expires.
CREATE TABLE guest_lists (
    account_id  TEXT    NOT NULL,
    id          TEXT    NOT NULL,
    location_id TEXT    NOT NULL,
    active      BOOLEAN NOT NULL,
    n           BIGINT  NOT NULL,
    created_at  BIGINT  NOT NULL,
    expires_at  BIGINT  NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX guest_lists_location ON guest_lists (account_id, location_id, id);
CREATE INDEX guest_lists_expiry ON guest_lists (expires_at);

-- The rows of guest lists: one guest in one room each. room_folded is the same for all ways to write the room.
CREATE TABLE guest_stays (
    account_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    list_id    TEXT NOT NULL,
    room_folded   TEXT NOT NULL,
    room       TEXT NOT NULL,
    arrival    TEXT NOT NULL,
    departure  TEXT NOT NULL,
    first_name TEXT NOT NULL,
    last_name  TEXT NOT NULL,
    email      TEXT NOT NULL,
    phone      TEXT NOT NULL,
    language   TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX guest_stays_list ON guest_stays (account_id, list_id, room_folded, departure);

-- The guests that a look-up has found, so that one of them can be confirmed. content is encrypted.
CREATE TABLE stay_candidates (
    account_id  TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    lookup_id   TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    actor_id    TEXT   NOT NULL,
    n           BIGINT NOT NULL,
    content     TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (account_id, id)
);
CREATE INDEX stay_candidates_lookup ON stay_candidates (account_id, lookup_id, n);
CREATE INDEX stay_candidates_age ON stay_candidates (created_at);
