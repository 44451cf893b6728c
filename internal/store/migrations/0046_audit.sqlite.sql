-- serves 0040
-- A line of the audit log is not replaced either: REPLACE removes without a trigger. What is there stays, and what would take its place is passed over.
CREATE TRIGGER audit_stays_insert BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE account_id = new.account_id AND id = new.id) BEGIN
    SELECT RAISE(IGNORE);
END;
