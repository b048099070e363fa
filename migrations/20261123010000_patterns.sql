-- What the regular expressions of rules take once they are compiled, kept as the compiled sizes are: a share in each row,
-- and their sums under the project's lock.
--
-- Rows that are there cannot be compiled here. They count each pattern as the smallest until they are written again.

ALTER TABLE segments ADD COLUMN pattern_bytes integer NOT NULL DEFAULT 0;
ALTER TABLE flag_states ADD COLUMN pattern_bytes integer NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN shared_pattern_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE environments ADD COLUMN state_pattern_bytes bigint NOT NULL DEFAULT 0;

UPDATE segments
SET pattern_bytes = 4096 * jsonb_array_length(
    jsonb_path_query_array(rules, '$[*] ? (@.operator == "regex").values[*]'))
WHERE jsonb_path_exists(rules, '$[*] ? (@.operator == "regex")');

UPDATE flag_states
SET pattern_bytes = 4096 * jsonb_array_length(
    jsonb_path_query_array(rules, '$[*].conditions[*] ? (@.operator == "regex").values[*]'))
WHERE jsonb_path_exists(rules, '$[*].conditions[*] ? (@.operator == "regex")');

UPDATE projects
SET shared_pattern_bytes = counted.bytes
FROM (SELECT project_id, SUM(pattern_bytes) AS bytes FROM segments GROUP BY project_id) AS counted
WHERE projects.id = counted.project_id AND counted.bytes > 0;

UPDATE environments
SET state_pattern_bytes = counted.bytes
FROM (SELECT env_id, SUM(pattern_bytes) AS bytes FROM flag_states GROUP BY env_id) AS counted
WHERE environments.id = counted.env_id AND counted.bytes > 0;
