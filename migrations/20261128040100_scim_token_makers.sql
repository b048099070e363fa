-- Who made a SCIM token: it can do no more than they may do now.

ALTER TABLE scim_tokens
    -- Null for somebody whose account is gone, and where the trail has forgotten who it was.
    ADD COLUMN made_by uuid CONSTRAINT scim_tokens_made_by_fkey REFERENCES users ON DELETE SET NULL;

CREATE INDEX scim_tokens_made_by_idx ON scim_tokens (made_by);

UPDATE scim_tokens
SET made_by = users.id
FROM audit_entries, users
WHERE audit_entries.org_id = scim_tokens.org_id
    AND audit_entries.action = 'scim.token_created'
    AND audit_entries.resource_id = scim_tokens.id::text
    AND audit_entries.actor_type = 'user'
    AND users.id = audit_entries.actor_id;
