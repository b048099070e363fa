-- Finding what is due without looking at states that have no schedule.

CREATE INDEX flag_states_scheduled_enable_at_idx ON flag_states (scheduled_enable_at)
    WHERE scheduled_enable_at IS NOT NULL;
CREATE INDEX flag_states_scheduled_disable_at_idx ON flag_states (scheduled_disable_at)
    WHERE scheduled_disable_at IS NOT NULL;
