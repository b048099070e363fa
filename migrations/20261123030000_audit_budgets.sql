-- How much the audit entries of an organization keep of states on the last day that it changed anything. Charged by each
-- change as its last statement, and read by the next ones: see audit/budget.rs.

CREATE TABLE audit_budgets (
    org_id uuid CONSTRAINT audit_budgets_pkey PRIMARY KEY
        CONSTRAINT audit_budgets_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    day date NOT NULL,
    bytes bigint NOT NULL
) WITH (fillfactor = 70);
