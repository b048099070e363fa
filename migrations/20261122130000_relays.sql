-- Relays: edges that serve the link to other edges.

-- Whether the certificate is also one of a server, for the name that all relays have. What renews it says the same.
ALTER TABLE edge_certificates ADD COLUMN is_relay boolean NOT NULL DEFAULT false;
