-- serves 0040
-- The names of the attachments of a received message that were not kept, as JSON; '' if there are none.
ALTER TABLE thread_messages ADD COLUMN omitted TEXT NOT NULL DEFAULT '';
