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
    updated_at timestamptz NOT NULL
);
