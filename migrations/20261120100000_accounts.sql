-- Organizations, accounts and sessions. Secrets are stored as hashes, or sealed by APP_SECRET.

CREATE TABLE organizations (
    id uuid CONSTRAINT organizations_pkey PRIMARY KEY,
    name text NOT NULL,
    slug text NOT NULL CONSTRAINT organizations_slug_key UNIQUE,
    plan text NOT NULL CONSTRAINT organizations_plan_check CHECK (plan IN ('trial', 'free', 'pro', 'enterprise')),
    data_region text NOT NULL,
    -- Kept after the trial ended, for display.
    trial_expires_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Null: not since it was created.
    plan_changed_at timestamptz,
    trial_notice_at timestamptz,
    -- Members are refused from here on until one of them logs in; evaluation goes on.
    deleted_at timestamptz,
    -- From here on nothing brings it back: it has no members any more, and its rows are being deleted.
    purge_started_at timestamptz,
    -- The gateway of the next checkout; a running subscription keeps its own.
    gateway text NOT NULL DEFAULT 'gateway_form'
        CONSTRAINT organizations_gateway_check CHECK (gateway IN ('gateway_form', 'gateway_redirect'))
);

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

-- How far an organization got with its first steps. There is no row before the first step.
CREATE TABLE onboarding (
    org_id uuid CONSTRAINT onboarding_pkey PRIMARY KEY
        CONSTRAINT onboarding_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    plan_selected boolean NOT NULL DEFAULT false,
    first_flag_created boolean NOT NULL DEFAULT false,
    first_sdk_connected boolean NOT NULL DEFAULT false,
    first_evaluation boolean NOT NULL DEFAULT false,
    tour_completed boolean NOT NULL DEFAULT false,
    -- When all steps were done for the first time; it stays when a step is taken back.
    completed_at timestamptz,
    updated_at timestamptz NOT NULL,
    -- Steps that do not tick themselves until a member marks them again.
    taken_back text[] NOT NULL DEFAULT '{}'
);

-- Inquiries of possible customers, who may have no organization. Kept beside the mail about them, which may get lost.
CREATE TABLE sales_inquiries (
    id uuid CONSTRAINT sales_inquiries_pkey PRIMARY KEY,
    contact_name text NOT NULL,
    email text NOT NULL,
    company text NOT NULL,
    -- A range in words, as `11-50`; empty if not given.
    team_size text NOT NULL,
    message text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE INDEX sales_inquiries_created_at_idx ON sales_inquiries (created_at);

CREATE TABLE users (
    id uuid CONSTRAINT users_pkey PRIMARY KEY,
    -- Trimmed and lower-cased by the service. Null for an account that SCIM made without an address: nobody signs in to it.
    email text CONSTRAINT users_email_key UNIQUE,
    name text NOT NULL,
    -- PHC string; null for an account that cannot sign in by password.
    password_hash text,
    -- A link in a mail proves that the address exists, not that its reader chose the password: programs follow links.
    email_verified boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- A mailed code was typed together with the password, or an operator vouches for it.
    password_proven boolean NOT NULL DEFAULT false
);

-- Custom roles: the most that their members may do, whatever the member role allows. Built-in ones are constants of the code.
CREATE TABLE custom_roles (
    id uuid CONSTRAINT custom_roles_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT custom_roles_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    name text NOT NULL,
    -- The name as names are compared: trimmed, and lower-cased by Unicode, of which the database's locale may know nothing.
    folded_name text NOT NULL,
    permissions text[] NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Counts changes, for `If-Match`.
    revision bigint NOT NULL DEFAULT 1,
    CONSTRAINT custom_roles_org_id_folded_name_key UNIQUE (org_id, folded_name),
    -- For members_stored_role_id_fkey, which keeps members to the roles of their own organization.
    CONSTRAINT custom_roles_org_id_id_key UNIQUE (org_id, id)
);

CREATE INDEX custom_roles_org_id_created_at_idx ON custom_roles (org_id, created_at, id);

CREATE TABLE members (
    id uuid CONSTRAINT members_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT members_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT members_user_id_fkey REFERENCES users ON DELETE CASCADE,
    role text NOT NULL CONSTRAINT members_role_check CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
    created_at timestamptz NOT NULL,
    -- Login chooses the organization last used, else the oldest membership.
    last_login_at timestamptz,
    -- The id of a custom role, or of a built-in one, which has no row: the foreign key is on stored_role_id.
    custom_role_id uuid,
    stored_role_id uuid GENERATED ALWAYS AS (
        CASE
            WHEN custom_role_id BETWEEN '00000000-0000-7000-8000-000000000001' AND '00000000-0000-7000-8000-000000000004'
            THEN NULL
            ELSE custom_role_id
        END
    ) STORED,
    -- Given to an account whose password was not proven: it has no effect until it is.
    awaits_proof boolean NOT NULL DEFAULT false,
    -- The organization's name for a member whose account is not its own, until they sign in there; null for the account's name.
    known_as text,
    CONSTRAINT members_org_id_user_id_key UNIQUE (org_id, user_id),
    -- A role that is assigned cannot be deleted.
    CONSTRAINT members_stored_role_id_fkey FOREIGN KEY (org_id, stored_role_id) REFERENCES custom_roles (org_id, id)
);

CREATE INDEX members_user_id_idx ON members (user_id);
CREATE INDEX members_org_id_created_at_idx ON members (org_id, created_at, id);
CREATE INDEX members_stored_role_id_idx ON members (org_id, stored_role_id) WHERE stored_role_id IS NOT NULL;

-- One sign-in and everything refreshed from it (`sid` of the tokens). Revoking it ends them all.
CREATE TABLE token_families (
    id uuid CONSTRAINT token_families_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT token_families_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT token_families_user_id_fkey REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    last_used_at timestamptz NOT NULL,
    ip_address text,
    user_agent text CONSTRAINT token_families_user_agent_check CHECK (char_length(user_agent) <= 200),
    -- The session that took its place: that of a page, or one in another organization. Only of families that are revoked.
    continued_by uuid CONSTRAINT token_families_continued_by_fkey REFERENCES token_families ON DELETE SET NULL,
    -- Whether its tokens were given in exchange for that session, so that none of them is valid any more.
    is_spent boolean NOT NULL DEFAULT false,
    -- The latest time of a refresh, also of the sessions that it is exchanged for, moved to, or handed on to.
    ends_at timestamptz NOT NULL
);

CREATE INDEX token_families_user_id_idx ON token_families (user_id);
CREATE INDEX token_families_org_id_idx ON token_families (org_id);
CREATE INDEX token_families_continued_by_idx ON token_families (continued_by);

-- Refresh tokens that were issued, by their `jti`; the signed token itself is kept by the client alone.
CREATE TABLE refresh_tokens (
    id uuid CONSTRAINT refresh_tokens_pkey PRIMARY KEY,
    family_id uuid NOT NULL CONSTRAINT refresh_tokens_family_id_fkey REFERENCES token_families ON DELETE CASCADE,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- When it was first used; it stays usable for a short leeway after that.
    replaced_at timestamptz
);

CREATE INDEX refresh_tokens_family_id_idx ON refresh_tokens (family_id);
