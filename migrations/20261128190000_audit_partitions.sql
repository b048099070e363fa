-- The audit log in partitions by time, which `audit/partitions.rs` adds and drops. What is there becomes the only partition, without
-- bounds: nothing is copied, scanned or indexed anew, so that this takes milliseconds whatever the size.

-- In the order of transactions that change something: first their organization, at last the log.
LOCK TABLE organizations, audit_entries IN ACCESS EXCLUSIVE MODE;

ALTER TABLE audit_entries RENAME TO audit_entries_first;
ALTER INDEX audit_entries_pkey RENAME TO audit_entries_first_pkey;
ALTER INDEX audit_entries_org_id_written_in_idx RENAME TO audit_entries_first_org_id_written_in_idx;
ALTER INDEX audit_entries_org_id_created_at_idx RENAME TO audit_entries_first_org_id_created_at_idx;
ALTER INDEX audit_entries_action_idx RENAME TO audit_entries_first_action_idx;
ALTER INDEX audit_entries_resource_type_idx RENAME TO audit_entries_first_resource_type_idx;
ALTER INDEX audit_entries_resource_id_idx RENAME TO audit_entries_first_resource_id_idx;
ALTER INDEX audit_entries_project_id_idx RENAME TO audit_entries_first_project_id_idx;
ALTER INDEX audit_entries_actor_id_idx RENAME TO audit_entries_first_actor_id_idx;
ALTER INDEX audit_entries_env_id_idx RENAME TO audit_entries_first_env_id_idx;
ALTER INDEX audit_entries_created_at_idx RENAME TO audit_entries_first_created_at_idx;

-- Each partition has a primary key of its own: one of the whole table would have to include `created_at`, and be built now.
CREATE TABLE audit_entries (
    LIKE audit_entries_first INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
    CONSTRAINT audit_entries_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations ON DELETE CASCADE
) PARTITION BY RANGE (created_at);

-- Those of the first partition: it must have the same, or they are built.
CREATE INDEX audit_entries_org_id_written_in_idx ON audit_entries (org_id, written_in);
CREATE INDEX audit_entries_org_id_created_at_idx ON audit_entries (org_id, created_at DESC, id DESC);
CREATE INDEX audit_entries_action_idx ON audit_entries (org_id, action, created_at DESC, id DESC);
CREATE INDEX audit_entries_resource_type_idx ON audit_entries (org_id, resource_type, created_at DESC, id DESC);
CREATE INDEX audit_entries_resource_id_idx ON audit_entries (org_id, resource_id, created_at DESC, id DESC)
    WHERE resource_id IS NOT NULL;
CREATE INDEX audit_entries_project_id_idx ON audit_entries (org_id, project_id, created_at DESC, id DESC)
    WHERE project_id IS NOT NULL;
CREATE INDEX audit_entries_actor_id_idx ON audit_entries (org_id, actor_id, created_at DESC, id DESC)
    WHERE actor_id IS NOT NULL;
CREATE INDEX audit_entries_env_id_idx ON audit_entries (
    org_id,
    (coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id',
              CASE WHEN resource_type = 'environment' THEN resource_id END)),
    created_at DESC,
    id DESC
)
WHERE coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id',
               CASE WHEN resource_type = 'environment' THEN resource_id END) IS NOT NULL;
CREATE INDEX audit_entries_created_at_idx ON audit_entries (created_at);

ALTER TABLE audit_entries ATTACH PARTITION audit_entries_first FOR VALUES FROM (MINVALUE) TO (MAXVALUE);
