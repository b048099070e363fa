-- Where the data was last used: a hash of cluster, timeline, database and tables. After a restore, a copy or a fail-over it
-- differs from that of the database in which it is found, which tells operators even if nothing ran meanwhile. Null before the first
-- poll by a release that knows the column.
ALTER TABLE database_history ADD COLUMN identity bytea;
