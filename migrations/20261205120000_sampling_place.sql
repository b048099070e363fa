-- Edges have room for so many sampled environments: every organization's first one comes before anybody's second.

ALTER TABLE environment_sampling ADD COLUMN place smallint NOT NULL DEFAULT 1;

CREATE INDEX environment_sampling_place_idx ON environment_sampling (place, env_id) WHERE enabled_at IS NOT NULL;
