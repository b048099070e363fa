-- What a client has seen of something, it may name in `If-Match` when it changes it. Flags, states and segments have their
-- `changed_version`. The version of an environment moves with each state in it, and webhooks and roles have none: these count
-- the changes of their own fields.
ALTER TABLE environments ADD COLUMN revision bigint NOT NULL DEFAULT 1;
ALTER TABLE webhooks ADD COLUMN revision bigint NOT NULL DEFAULT 1;
ALTER TABLE custom_roles ADD COLUMN revision bigint NOT NULL DEFAULT 1;
