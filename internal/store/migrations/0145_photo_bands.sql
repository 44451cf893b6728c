-- serves 0040
-- The hashes of photos, by which copies of a photo are found: in whole, and in parts of 16 bits.
CREATE TABLE photo_bands (
    account_id TEXT   NOT NULL,
    item_id    TEXT   NOT NULL,
    image_id   TEXT   NOT NULL,
    hash       BIGINT NOT NULL,
    band_0     BIGINT NOT NULL,
    band_1     BIGINT NOT NULL,
    band_2     BIGINT NOT NULL,
    band_3     BIGINT NOT NULL,
    PRIMARY KEY (account_id, item_id, image_id)
);
CREATE INDEX photo_bands_0 ON photo_bands (account_id, band_0, item_id);
CREATE INDEX photo_bands_1 ON photo_bands (account_id, band_1, item_id);
CREATE INDEX photo_bands_2 ON photo_bands (account_id, band_2, item_id);
CREATE INDEX photo_bands_3 ON photo_bands (account_id, band_3, item_id);
