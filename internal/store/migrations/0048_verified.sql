-- serves 0040
-- Whether users have proved that their e-mail address is theirs. Users who exist already count as verified, so that
-- nobody is locked out. An open invitation may have been passed on as a link.
ALTER TABLE users   ADD COLUMN verified_at BIGINT  NOT NULL DEFAULT 0;
ALTER TABLE tickets ADD COLUMN shared      BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE users   SET verified_at = created_at;
UPDATE tickets SET shared = TRUE WHERE kind = 'invitation';
