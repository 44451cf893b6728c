-- serves 0040
-- The locations whose photos the photo assistant may see, and the host to which somebody has agreed.
CREATE TABLE photo_assistants (
    account_id  TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    host        TEXT   NOT NULL,
    enabled_at  BIGINT NOT NULL,
    enabled_by  TEXT   NOT NULL,
    PRIMARY KEY (account_id, location_id)
);

-- What the photo assistant suggests because of a photo of an item. content is JSON.
CREATE TABLE photo_suggestions (
    account_id  TEXT   NOT NULL,
    item_id     TEXT   NOT NULL,
    image_id    TEXT   NOT NULL,
    location_id TEXT   NOT NULL,
    model       TEXT   NOT NULL,
    content     TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (account_id, item_id, image_id)
);
CREATE INDEX photo_suggestions_location ON photo_suggestions (account_id, location_id);

-- How many photos an account has sent to the photo assistant on a day, in UTC.
CREATE TABLE photo_requests (
    account_id TEXT   NOT NULL,
    day        TEXT   NOT NULL,
    n          BIGINT NOT NULL,
    PRIMARY KEY (account_id, day)
);
CREATE INDEX photo_requests_day ON photo_requests (day);
