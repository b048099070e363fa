-- GET /v1/audit?env_id=…: the environment that an entry is about, as `audit/store.rs` asks for it, newest first. An expression
-- and not a column: the trail is never rewritten, and entries that are stored already are found too.

CREATE INDEX audit_entries_env_id_idx ON audit_entries (
    org_id,
    (coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id',
              CASE WHEN resource_type = 'environment' THEN resource_id END)),
    created_at DESC,
    id DESC
)
WHERE coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id',
               CASE WHEN resource_type = 'environment' THEN resource_id END) IS NOT NULL;
