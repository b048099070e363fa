-- The life of an organization: when its plan changed, when its trial's end was announced, and its deletion after a long
-- time without a login.

ALTER TABLE organizations
    -- Null: not since it was created.
    ADD COLUMN plan_changed_at timestamptz,
    ADD COLUMN trial_notice_at timestamptz,
    -- Members are refused from here on until one of them logs in; evaluation goes on.
    ADD COLUMN deleted_at timestamptz,
    -- From here on nothing brings it back: it has no members any more, and its rows are being deleted.
    ADD COLUMN purge_started_at timestamptz;

CREATE INDEX organizations_trial_expires_at_idx ON organizations (trial_expires_at) WHERE plan = 'trial';
CREATE INDEX organizations_free_idx ON organizations (id) WHERE plan = 'free';
CREATE INDEX organizations_purge_started_at_idx ON organizations (id) WHERE purge_started_at IS NOT NULL;

-- Beside the organization's row, whose lock a login would otherwise wait for.
CREATE TABLE org_activity (
    org_id uuid CONSTRAINT org_activity_pkey PRIMARY KEY
        CONSTRAINT org_activity_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- The last login or token refresh of any member.
    last_login_at timestamptz NOT NULL,
    -- When the owners were warned of the deletion, and of the permanent one; null after a login.
    deletion_warned_at timestamptz,
    purge_warned_at timestamptz
);

INSERT INTO org_activity (org_id, last_login_at)
SELECT organizations.id, COALESCE(MAX(members.last_login_at), organizations.created_at)
FROM organizations
LEFT JOIN members ON members.org_id = organizations.id
GROUP BY organizations.id;
