-- GET /v1/audit: each filter reads a page newest first from an index of its own, beside the one for the whole trail.
-- Rows without the column are in no index of it: nobody can ask for them. The last index is what retention deletes by.

CREATE INDEX audit_entries_action_idx ON audit_entries (org_id, action, created_at DESC, id DESC);

CREATE INDEX audit_entries_resource_type_idx ON audit_entries (org_id, resource_type, created_at DESC, id DESC);

CREATE INDEX audit_entries_resource_id_idx ON audit_entries (org_id, resource_id, created_at DESC, id DESC)
    WHERE resource_id IS NOT NULL;

CREATE INDEX audit_entries_project_id_idx ON audit_entries (org_id, project_id, created_at DESC, id DESC)
    WHERE project_id IS NOT NULL;

CREATE INDEX audit_entries_actor_id_idx ON audit_entries (org_id, actor_id, created_at DESC, id DESC)
    WHERE actor_id IS NOT NULL;

CREATE INDEX audit_entries_created_at_idx ON audit_entries (created_at);
