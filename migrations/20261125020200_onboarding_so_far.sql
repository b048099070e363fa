-- Steps that came true before they ticked themselves, of organizations that have not taken all of them. One look-up of an index
-- for each step: a flag, a key that was used, a counter of a flag. What somebody took back until now is not known, and ticks.

WITH seen AS (
    SELECT o.id AS org_id,
           EXISTS (SELECT FROM flags f WHERE f.org_id = o.id) AS has_flag,
           EXISTS (SELECT FROM api_keys k WHERE k.org_id = o.id AND k.last_used_at IS NOT NULL) AS has_used_key,
           EXISTS (SELECT FROM evaluation_counters c WHERE c.org_id = o.id AND c.reason <> 'NOT_FOUND') AS has_evaluation
    FROM organizations o
)
INSERT INTO onboarding AS kept (org_id, first_flag_created, first_sdk_connected, first_evaluation, updated_at)
SELECT org_id, has_flag, has_used_key, has_evaluation, now()
FROM seen
WHERE has_flag OR has_used_key OR has_evaluation
ON CONFLICT ON CONSTRAINT onboarding_pkey DO UPDATE
SET first_flag_created = kept.first_flag_created OR excluded.first_flag_created,
    first_sdk_connected = kept.first_sdk_connected OR excluded.first_sdk_connected,
    first_evaluation = kept.first_evaluation OR excluded.first_evaluation,
    completed_at = coalesce(
        kept.completed_at,
        CASE WHEN kept.plan_selected AND kept.tour_completed
                  AND (kept.first_flag_created OR excluded.first_flag_created)
                  AND (kept.first_sdk_connected OR excluded.first_sdk_connected)
                  AND (kept.first_evaluation OR excluded.first_evaluation)
             THEN excluded.updated_at END
    ),
    updated_at = excluded.updated_at
WHERE (excluded.first_flag_created AND NOT kept.first_flag_created)
   OR (excluded.first_sdk_connected AND NOT kept.first_sdk_connected)
   OR (excluded.first_evaluation AND NOT kept.first_evaluation);
