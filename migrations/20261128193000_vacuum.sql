-- By default a table is vacuumed once a fifth of it is dead. These lose rows all the time at one end, while most of them stay for long.

ALTER TABLE evaluation_series SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE impressions SET (autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE flag_versions SET (autovacuum_vacuum_scale_factor = 0.05);
