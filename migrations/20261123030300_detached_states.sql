-- An environment has up to 10,000 states, and a project half a million: deleting them with it took seconds under the project's
-- lock. So they are left behind, and a job deletes them in batches (environments/removal.rs). Nothing finds them meanwhile: every
-- query comes by the environment or the flag. Both are looked up under the project's lock before a state is written, so no state
-- of something that is gone is ever made.
ALTER TABLE flag_states
    DROP CONSTRAINT flag_states_flag_id_fkey,
    DROP CONSTRAINT flag_states_env_id_fkey;
