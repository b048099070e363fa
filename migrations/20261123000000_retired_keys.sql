-- API keys that have expired leave what edges hold, and all usable ones count towards the size of their environment.

-- When the key left. A key that was revoked left with that.
ALTER TABLE api_keys ADD COLUMN retired_at timestamptz;

-- What has expired and not left yet.
CREATE INDEX api_keys_org_id_env_id_expires_at_idx ON api_keys (org_id, env_id, expires_at)
    WHERE expires_at IS NOT NULL AND revoked_at IS NULL AND retired_at IS NULL;

UPDATE environments
SET state_bytes = state_bytes + 64 * served.keys
FROM (SELECT env_id, COUNT(*) AS keys FROM api_keys WHERE revoked_at IS NULL GROUP BY env_id) served
WHERE environments.id = served.env_id;
