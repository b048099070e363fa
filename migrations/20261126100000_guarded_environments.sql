-- Guarded environments: their flag states change by approved requests alone, which several people may have to approve.

ALTER TABLE environments
    ADD COLUMN protected boolean NOT NULL DEFAULT false,
    -- People who must approve a request before it is applied.
    ADD COLUMN required_approvals integer NOT NULL DEFAULT 1
        CONSTRAINT environments_required_approvals_check CHECK (required_approvals BETWEEN 1 AND 5);

ALTER TABLE approvals
    -- Who approved so far, with their notes, in order. Those who lost the right are taken out by the next review.
    ADD COLUMN approvals jsonb NOT NULL DEFAULT '[]'
        CONSTRAINT approvals_approvals_check CHECK (jsonb_typeof(approvals) = 'array'),
    -- Approvals that were required when the request was decided. Null: not decided yet, or before this was kept.
    ADD COLUMN required_approvals integer;

-- Whether a flag is to stay for ever, so that it never counts as stale.
ALTER TABLE flags ADD COLUMN permanent boolean NOT NULL DEFAULT false;
