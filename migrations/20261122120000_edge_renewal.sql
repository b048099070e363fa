-- Edges renew their certificates before they end. The new one is valid beside the one it renews, so that an edge that has
-- lost the answer, or goes back to a copy of its files, is still let in.

-- The certificate with which the edge asked for this one; null for those that an operator enrolled. The chain is kept for
-- as long as any of it is: deleting a renewed certificate is refused.
ALTER TABLE edge_certificates ADD COLUMN renews bytea
    CONSTRAINT edge_certificates_renews_fkey REFERENCES edge_certificates (fingerprint) ON DELETE RESTRICT;

CREATE INDEX edge_certificates_renews_idx ON edge_certificates (renews);

-- A name is enrolled once; revoking it revokes whatever renewed that certificate too.
DROP INDEX edge_certificates_name_key;
CREATE UNIQUE INDEX edge_certificates_name_key ON edge_certificates (name) WHERE revoked_at IS NULL AND renews IS NULL;
