-- Every delivery is written three times within a second. Its dead versions are cleared away by their
-- number, not by their share of a table that keeps a month.
ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
