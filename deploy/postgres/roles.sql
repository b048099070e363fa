-- A role of PostgreSQL for each duty. As a superuser, or whoever may create roles and owns the database, in Halyard's database
-- after `halyard migrate`; again does no harm:
--
--   psql -1 -v ON_ERROR_STOP=1 -f roles.sql "$DATABASE_URL"
--
-- Then give each a password (\password halyard_service), put them into DATABASE_URL, and revoke what the role before has:
-- REVOKE halyard_owner FROM halyard. Tables of later migrations need nothing more.

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['halyard_owner', 'halyard_service', 'halyard_reader'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', name);
        END IF;
    END LOOP;
    -- The owner migrates the audit log, which belongs to the service. Whoever owns tables goes on, until that is revoked.
    GRANT halyard_service TO halyard_owner;
    FOR name IN
        SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
            AND pg_get_userbyid(relowner) NOT IN ('halyard_owner', 'halyard_service')
    LOOP
        EXECUTE format('GRANT halyard_owner TO %I', name);
    END LOOP;
END $$;

-- `halyard migrate`.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO halyard_owner;

-- `halyard serve` and the other commands: all rows, no definitions. The audit log is the service's own, since it begins a partition
-- each month and drops those that are old enough.
GRANT USAGE, CREATE ON SCHEMA public TO halyard_service;
ALTER DEFAULT PRIVILEGES FOR ROLE halyard_owner IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO halyard_service;
ALTER DEFAULT PRIVILEGES FOR ROLE halyard_owner IN SCHEMA public
    GRANT USAGE, SELECT ON SEQUENCES TO halyard_service;

DO $$
DECLARE
    one regclass;
    routine regprocedure;
    is_log boolean;
BEGIN
    FOR one, is_log IN
        SELECT oid, oid = 'audit_entries'::regclass
            OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = c.oid AND inhparent = 'audit_entries'::regclass)
        FROM pg_class c
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO %I', one, CASE WHEN is_log THEN 'halyard_service' ELSE 'halyard_owner' END);
    END LOOP;
    FOR routine IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace LOOP
        EXECUTE format('ALTER ROUTINE %s OWNER TO halyard_owner', routine);
    END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO halyard_service;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO halyard_service;
-- New partitions refer to it.
GRANT REFERENCES ON organizations TO halyard_service;
-- What was migrated, to read alone.
REVOKE INSERT, UPDATE, DELETE ON _sqlx_migrations FROM halyard_service;

-- Grafana's board of tenants, and questions by hand: nothing secret, no names of members.
ALTER ROLE halyard_reader CONNECTION LIMIT 5;
ALTER ROLE halyard_reader SET statement_timeout = '10s';
GRANT USAGE ON SCHEMA public TO halyard_reader;
GRANT SELECT ON organizations, projects, environments, evaluation_series, audit_budgets, webhook_lanes TO halyard_reader;
