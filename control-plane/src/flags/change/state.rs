//! Changing the state of a locked flag: what each way to do so changes, and what all of them write.

use serde_json::{Value, json};
use time::OffsetDateTime;

use super::LockedFlag;
use crate::{
    audit::{
        self,
        model::{Actor, Entry},
    },
    blocking::blocking,
    db::{self, Tx},
    flags::states::{input::StatePatch, model::FlagState, store as states},
    ids::{ApprovalId, EnvId},
    input::Invalid,
    publish::version::{self, Change, DrawError, Growth, Scope},
};

/// Why a state was not updated. The transaction must be given up.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// The input breaks a rule; nothing was written.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// No version could be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

impl From<db::Error> for UpdateError {
    fn from(error: db::Error) -> Self {
        Self::Draw(error.into())
    }
}

/// The state of a locked flag in one environment, or the place where it has none yet.
#[derive(Debug)]
pub struct LockedState<'a> {
    pub(super) locked: &'a LockedFlag,
    pub(super) env_id: EnvId,
    pub(super) stored: Option<FlagState>,
}

impl LockedState<'_> {
    /// Changes the given fields; creates the state when there is none.
    ///
    /// # Errors
    /// When a field breaks a rule, or the environment would become too large.
    pub async fn update(
        self,
        tx: &mut Tx,
        patch: StatePatch,
        actor: Actor,
        now: OffsetDateTime,
    ) -> Result<(FlagState, Change), UpdateError> {
        let cause = self.cause("flag.state_updated", actor, now);
        self.patch(tx, patch, cause).await
    }

    /// Changes the fields that an approved request asked for, as an update does. A request that asked for none changes
    /// nothing: then the trail alone tells of it, and there is no version.
    ///
    /// # Errors
    /// When a field breaks a rule, or the environment would become too large.
    pub async fn apply_approved(
        self,
        tx: &mut Tx,
        approval_id: ApprovalId,
        patch: Option<StatePatch>,
        actor: Actor,
        now: OffsetDateTime,
    ) -> Result<Option<Change>, UpdateError> {
        let cause = Cause {
            metadata: json!({"env_id": self.env_id, "approval_id": approval_id}),
            ..self.cause("flag.approved_change_applied", actor, now)
        };
        if let Some(patch) = patch {
            let (_, change) = self.patch(tx, patch, cause).await?;
            return Ok(Some(change));
        }
        let entry = self.entry(cause, self.stored.as_ref());
        audit::store::record(tx, entry, now).await?;
        Ok(None)
    }

    /// Switches the flag off, and nothing else: schedules stay, and are shown. Creates the state when there is none.
    ///
    /// # Errors
    /// When no version can be drawn.
    pub async fn kill(
        self,
        tx: &mut Tx,
        actor: Actor,
        now: OffsetDateTime,
    ) -> Result<(FlagState, Change), DrawError> {
        let state = FlagState {
            enabled: false,
            ..self.current(now)
        };
        let cause = self.cause("flag.killed", actor, now);
        self.write(tx, state, cause).await
    }

    /// Copies `enabled`, `default_value`, `rules` and `percentage_rollout` of the same flag's state elsewhere; variants and
    /// schedules stay. `None` when nothing was ever stored there.
    ///
    /// # Errors
    /// When the environment would become too large.
    pub async fn promote_from(
        self,
        tx: &mut Tx,
        source: LockedState<'_>,
        actor: Actor,
        now: OffsetDateTime,
    ) -> Result<Option<(FlagState, Change)>, DrawError> {
        let Some(copied) = source.stored else {
            return Ok(None);
        };
        let state = FlagState {
            enabled: copied.enabled,
            default_value: copied.default_value,
            rules: copied.rules,
            percentage_rollout: copied.percentage_rollout,
            ..self.current(now)
        };
        let cause = Cause {
            metadata: json!({"source_env_id": source.env_id, "target_env_id": self.env_id}),
            ..self.cause("flag.promoted", actor, now)
        };
        self.write(tx, state, cause).await.map(Some)
    }

    /// Enables or disables the flag by the earliest of its due times that has come, and clears that time. `None` when none
    /// has come: it was cleared, moved, or has taken effect before.
    ///
    /// # Errors
    /// When no version can be drawn.
    pub async fn toggle_as_scheduled(
        self,
        tx: &mut Tx,
        now: OffsetDateTime,
    ) -> Result<Option<(FlagState, Change)>, DrawError> {
        let Some(state) = self.stored.as_ref().and_then(|stored| stored.toggled(now)) else {
            return Ok(None);
        };
        let cause = self.cause("flag.scheduled_toggle", Actor::System, now);
        self.write(tx, state, cause).await.map(Some)
    }

    fn current(&self, now: OffsetDateTime) -> FlagState {
        self.stored
            .clone()
            .unwrap_or_else(|| FlagState::initial(now))
    }

    async fn patch(
        self,
        tx: &mut Tx,
        patch: StatePatch,
        cause: Cause,
    ) -> Result<(FlagState, Change), UpdateError> {
        let mut state = self.current(cause.now);
        let flag_type = self.locked.flag.flag_type;
        // Regular expressions are compiled to check them.
        let state = blocking(move || patch.apply(&mut state, flag_type).map(|()| state)).await?;
        Ok(self.write(tx, state, cause).await?)
    }

    async fn write(
        self,
        tx: &mut Tx,
        mut state: FlagState,
        cause: Cause,
    ) -> Result<(FlagState, Change), DrawError> {
        let LockedFlag {
            org_id,
            project_id,
            flag,
        } = self.locked;
        let bytes_before = self
            .stored
            .as_ref()
            .map_or(0, |stored| stored.compiled_bytes);
        state.updated_at = cause.now;
        state.compiled_bytes = state.measure();

        let growth = Growth {
            state_bytes: i64::from(state.compiled_bytes) - i64::from(bytes_before),
            ..Growth::default()
        };
        let change = version::draw(
            tx,
            *org_id,
            *project_id,
            Scope::Environment(self.env_id),
            growth,
        )
        .await?;
        states::upsert(tx, *org_id, flag.id, self.env_id, &state, &change).await?;

        let now = cause.now;
        audit::store::record(tx, self.entry(cause, Some(&state)), now).await?;
        Ok((state, change))
    }

    fn cause(&self, action: &'static str, actor: Actor, now: OffsetDateTime) -> Cause {
        Cause {
            action,
            metadata: json!({"env_id": self.env_id}),
            actor,
            now,
        }
    }

    fn entry(&self, cause: Cause, after: Option<&FlagState>) -> Entry {
        let mut entry = Entry::new(self.locked.org_id, cause.actor, cause.action)
            .on(self.locked.flag.id)
            .in_project(self.locked.project_id)
            .with(cause.metadata);
        if let Some(before) = &self.stored {
            entry = entry.before(before);
        }
        if let Some(after) = after {
            entry = entry.after(after);
        }
        entry
    }
}

/// Why a state changes, for the audit trail.
struct Cause {
    action: &'static str,
    metadata: Value,
    actor: Actor,
    now: OffsetDateTime,
}
