-- Grants: rollouts in a protected environment that a member, a custom role or an access token may move without approval, within a
-- budget.

CREATE TABLE grants (
    id uuid CONSTRAINT grants_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT grants_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    project_id uuid NOT NULL CONSTRAINT grants_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    env_id uuid NOT NULL CONSTRAINT grants_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    name text NOT NULL,
    -- Who holds it: one of these. It goes with them.
    member_id uuid CONSTRAINT grants_member_id_fkey REFERENCES members ON DELETE CASCADE,
    role_id uuid,
    access_token_id uuid CONSTRAINT grants_access_token_id_fkey REFERENCES access_tokens ON DELETE CASCADE,
    -- Flags with one of these; empty for all flags.
    tags text[] NOT NULL,
    -- Basis points, in any span of so many seconds.
    max_raise integer NOT NULL CONSTRAINT grants_max_raise_check CHECK (max_raise BETWEEN 0 AND 10000),
    window_seconds integer NOT NULL CONSTRAINT grants_window_seconds_check CHECK (window_seconds BETWEEN 60 AND 604800),
    can_lower boolean NOT NULL,
    can_kill boolean NOT NULL,
    -- Days, hours and time zone; null for any time.
    hours jsonb CONSTRAINT grants_hours_check CHECK (jsonb_typeof(hours) = 'object'),
    ends_at timestamptz,
    -- The user who gave it: it ends with their right to. No reference, since a user may be gone.
    given_by uuid NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Counts its changes, for `If-Match`.
    version bigint NOT NULL CONSTRAINT grants_version_check CHECK (version > 0),
    CONSTRAINT grants_role_id_fkey FOREIGN KEY (org_id, role_id) REFERENCES custom_roles (org_id, id) ON DELETE CASCADE,
    CONSTRAINT grants_holder_check CHECK (num_nonnulls(member_id, role_id, access_token_id) = 1)
);

CREATE INDEX grants_org_id_role_id_idx ON grants (org_id, role_id);
CREATE INDEX grants_project_id_created_at_idx ON grants (project_id, created_at, id);
CREATE INDEX grants_env_id_idx ON grants (env_id);
CREATE INDEX grants_member_id_idx ON grants (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX grants_access_token_id_idx ON grants (access_token_id) WHERE access_token_id IS NOT NULL;

-- Raises that a grant allowed. Each has a point at least, so that a grant has at most 10,000 within its span; older ones are
-- deleted with the next.
CREATE TABLE grant_uses (
    grant_id uuid NOT NULL CONSTRAINT grant_uses_grant_id_fkey REFERENCES grants ON DELETE CASCADE,
    org_id uuid NOT NULL CONSTRAINT grant_uses_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    used_at timestamptz NOT NULL,
    points integer NOT NULL CONSTRAINT grant_uses_points_check CHECK (points > 0)
);

CREATE INDEX grant_uses_grant_id_used_at_idx ON grant_uses (grant_id, used_at);
CREATE INDEX grant_uses_org_id_idx ON grant_uses (org_id);

-- The time on the clocks of a zone; null where the database does not know the zone (any more).
CREATE FUNCTION grant_local_time(at timestamptz, zone text) RETURNS timestamp
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN at AT TIME ZONE zone;
EXCEPTION
    WHEN invalid_parameter_value THEN RETURN NULL;
END
$$;
