-- Until when what was answered is known: what a form of a person made is for longer than what a program did.
ALTER TABLE answers ADD COLUMN until BIGINT NOT NULL DEFAULT 0;
UPDATE answers SET until = created_at + 86400000000;
DROP INDEX answers_age;
CREATE INDEX answers_over ON answers (until);
