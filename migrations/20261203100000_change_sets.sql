-- Change sets: edits of a project's definitions that are drafted, reviewed, applied and undone together.

CREATE TABLE change_sets (
    id uuid CONSTRAINT change_sets_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT change_sets_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    project_id uuid NOT NULL CONSTRAINT change_sets_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    name text NOT NULL,
    description text NOT NULL,
    status text NOT NULL CONSTRAINT change_sets_status_check
        CHECK (status IN ('draft', 'pending', 'approved', 'scheduled', 'applied', 'rejected', 'failed')),
    -- As it was given, and what each thing was when that was compared, and is to be: once applied, what each thing became.
    changes jsonb NOT NULL CONSTRAINT change_sets_changes_check CHECK (jsonb_typeof(changes) = 'object'),
    parts jsonb NOT NULL CONSTRAINT change_sets_parts_check CHECK (jsonb_typeof(parts) = 'array'),
    base_version bigint NOT NULL,
    -- Whoever drafted or edited it, or asked for approval. People may be gone: it is history.
    author_ids uuid[] NOT NULL,
    -- Counts its changes, for `If-Match`.
    version bigint NOT NULL CONSTRAINT change_sets_version_check CHECK (version > 0),
    required_approvals integer NOT NULL,
    -- Slugs of the protected environments in which it has an effect, as of the request for approval.
    protected text[] NOT NULL,
    reviews jsonb NOT NULL CONSTRAINT change_sets_reviews_check CHECK (jsonb_typeof(reviews) = 'array'),
    apply_at timestamptz,
    scheduled_by uuid,
    applied_at timestamptz,
    applied_by uuid,
    applied_version bigint,
    failure text,
    -- The set that it undoes.
    undoes uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Of changes and parts, so that pages and bounds are computed without reading them.
    bytes integer NOT NULL,
    CONSTRAINT change_sets_scheduled_check CHECK ((status = 'scheduled') <= (apply_at IS NOT NULL AND scheduled_by IS NOT NULL)),
    CONSTRAINT change_sets_applied_check CHECK ((status = 'applied') = (applied_version IS NOT NULL))
);

CREATE INDEX change_sets_org_id_updated_at_idx ON change_sets (org_id, updated_at);
CREATE INDEX change_sets_project_id_created_at_idx ON change_sets (project_id, created_at DESC, id DESC);
CREATE INDEX change_sets_apply_at_idx ON change_sets (apply_at) WHERE status = 'scheduled';

-- Events of the parts of an applied set: a webhook that gets the set as one does not get them.
ALTER TABLE webhook_events ADD COLUMN is_part boolean NOT NULL DEFAULT false;
