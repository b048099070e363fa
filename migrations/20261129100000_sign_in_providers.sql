-- Sign-in by providers of an organization's own (OpenID Connect): the providers, the domains whose addresses they may vouch for,
-- sign-ins that are under way, and who is who at a provider.

CREATE TABLE sign_in_providers (
    id uuid CONSTRAINT sign_in_providers_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT sign_in_providers_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    -- Null for a public client, which proves itself by PKCE alone.
    sealed_secret bytea,
    -- Whether a first sign-in makes a member.
    provisions boolean NOT NULL,
    default_role text NOT NULL
        CONSTRAINT sign_in_providers_default_role_check CHECK (default_role IN ('admin', 'developer', 'viewer')),
    -- The claim that roles are taken from; null for none.
    role_claim text,
    -- What a value of the claim stands for: [{"value": "...", "role": "..."}].
    role_mappings jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT sign_in_providers_org_id_issuer_client_id_key UNIQUE (org_id, issuer, client_id)
);

CREATE TABLE sign_in_domains (
    id uuid CONSTRAINT sign_in_domains_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT sign_in_domains_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- ASCII, in lower case.
    domain text NOT NULL,
    -- What the TXT record must hold. It is shown, and no secret.
    token text NOT NULL,
    -- Null until then.
    proven_at timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT sign_in_domains_org_id_domain_key UNIQUE (org_id, domain)
);

-- A domain is proven for one organization.
CREATE UNIQUE INDEX sign_in_domains_domain_key ON sign_in_domains (domain) WHERE proven_at IS NOT NULL;

-- Used once: consuming one deletes it.
CREATE TABLE sign_in_attempts (
    state_hash bytea CONSTRAINT sign_in_attempts_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT sign_in_attempts_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    provider_id uuid NOT NULL CONSTRAINT sign_in_attempts_provider_id_fkey REFERENCES sign_in_providers ON DELETE CASCADE,
    -- Of what the page that began it keeps.
    key_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX sign_in_attempts_org_id_idx ON sign_in_attempts (org_id);
CREATE INDEX sign_in_attempts_provider_id_idx ON sign_in_attempts (provider_id);
CREATE INDEX sign_in_attempts_expires_at_idx ON sign_in_attempts (expires_at);

CREATE TABLE sign_in_identities (
    provider_id uuid NOT NULL CONSTRAINT sign_in_identities_provider_id_fkey REFERENCES sign_in_providers ON DELETE CASCADE,
    subject text NOT NULL CONSTRAINT sign_in_identities_subject_check CHECK (char_length(subject) BETWEEN 1 AND 255),
    org_id uuid NOT NULL CONSTRAINT sign_in_identities_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- It stays when the membership ends, so that a removed member does not return as a new one.
    user_id uuid NOT NULL CONSTRAINT sign_in_identities_user_id_fkey REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    CONSTRAINT sign_in_identities_pkey PRIMARY KEY (provider_id, subject),
    CONSTRAINT sign_in_identities_provider_id_user_id_key UNIQUE (provider_id, user_id)
);

CREATE INDEX sign_in_identities_org_id_idx ON sign_in_identities (org_id);
CREATE INDEX sign_in_identities_user_id_idx ON sign_in_identities (user_id);

-- Members whom somebody removed. A provider does not bring them back; an invitation or SCIM does, and deletes the row.
CREATE TABLE removed_members (
    org_id uuid NOT NULL CONSTRAINT removed_members_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT removed_members_user_id_fkey REFERENCES users ON DELETE CASCADE,
    removed_at timestamptz NOT NULL,
    CONSTRAINT removed_members_pkey PRIMARY KEY (org_id, user_id)
);

CREATE INDEX removed_members_user_id_idx ON removed_members (user_id);

-- Whether members other than owners sign in by a provider alone.
ALTER TABLE organizations ADD COLUMN sign_in_only_by_provider boolean NOT NULL DEFAULT false;

-- The provider that a session was opened by; null for a password.
ALTER TABLE token_families ADD COLUMN provider_id uuid
    CONSTRAINT token_families_provider_id_fkey REFERENCES sign_in_providers ON DELETE CASCADE;

CREATE INDEX token_families_provider_id_idx ON token_families (provider_id);
