-- serves 0040
-- When a key was last used, and the websites that may use a publishable key. Older programs refuse everything to a
-- publishable key, because they do not know its role.
ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE api_keys ADD COLUMN origins      TEXT   NOT NULL DEFAULT '';
