-- serves 0040
-- Secrets of the service that follow each other: by which the token of a link is derived, as the print of a secret; '' for the first there was.
ALTER TABLE links ADD COLUMN link_key TEXT NOT NULL DEFAULT '';
ALTER TABLE tickets ADD COLUMN link_key TEXT NOT NULL DEFAULT '';
