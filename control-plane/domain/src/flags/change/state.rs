//! The ways to change a flag state, and the write common to all.

use serde_json::{Value, json};

use super::{Authority, Place, warnings};
use crate::{
    events::{Action, Event, Subject},
    flags::{
        history::model::changed_parts,
        model::{Archived, FlagType},
        states::{
            input::StateWish,
            model::FlagState,
            store::{self as states, Located, Stated},
        },
        warnings::Suspects,
    },
    members::permissions::model::Touches,
    unit::{Draft, Expected, NewVersion, ProjectChange, Recorded, Wish},
    version::{Growth, Scope},
};
use base::{
    db,
    ids::{ApprovalId, EnvId},
    refusal::{Missing, Refusal},
    warning::Warning,
};

/// Changes the given fields, creating a missing state. Returns warnings about the given fields.
pub async fn update(
    change: &mut ProjectChange<'_>,
    place: Place,
    draft: Draft<StateWish>,
    authority: Authority<'_>,
    expected: &Expected,
) -> Result<Recorded<(FlagState, Vec<Warning>)>, Refusal> {
    let stored = match draft.found_at(change.locked_version()) {
        Some(stored) => stored.clone(),
        None => find(change, place).await?.1,
    };
    let warnings = look_at(change, &Suspects::of_wish(draft.wish())).await?;
    let touches = draft.wish().touches();
    let cause = match authority {
        Authority::Approved(approval_id) => approved(place, approval_id),
        Authority::Member(_) | Authority::Creator(_) | Authority::Schedule | Authority::Import => {
            Cause::of(Action::FlagStateUpdated)
        }
    };
    let write = Write {
        place,
        state: draft.made_of(&stored),
        stored,
        touches,
        cause,
        warnings: &warnings,
        expected,
    };
    let recorded = write.run(change, authority).await?;
    Ok(recorded.map(|state| (state, warnings)))
}

/// Records the approval of an empty request in the audit log, without drawing a version.
pub(crate) async fn note_approved(
    change: &mut ProjectChange<'_>,
    place: Place,
    approval_id: ApprovalId,
) -> Result<Recorded<()>, Refusal> {
    let (_, stored) = find(change, place).await?;
    let state = stored.as_ref();
    let event = approved(place, approval_id).event(change, place, state, state);
    Ok(change.record(event, ()).await?)
}

/// Switches the flag off and changes nothing else: schedules stay. Creates a missing state.
pub async fn kill(
    change: &mut ProjectChange<'_>,
    place: Place,
    authority: Authority<'_>,
    expected: &Expected,
) -> Result<Recorded<FlagState>, Refusal> {
    let (_, stored) = find(change, place).await?;
    let now = change.now();
    let current = stored.clone().unwrap_or_else(|| FlagState::initial(now));
    let write = Write {
        place,
        state: FlagState {
            enabled: false,
            ..current
        },
        stored,
        touches: Touches::TOGGLE,
        cause: Cause::of(Action::FlagKilled),
        warnings: &[],
        expected,
    };
    write.run(change, authority).await
}

/// Copies the state of the same flag in another environment, see [`Promotion`]. Returns warnings about the copy.
pub async fn promote(
    change: &mut ProjectChange<'_>,
    source_id: EnvId,
    target: Place,
    draft: Draft<Promotion>,
    authority: Authority<'_>,
    expected: &Expected,
) -> Result<Recorded<(FlagState, Vec<Warning>)>, Refusal> {
    let source = Place {
        env_id: source_id,
        ..target
    };
    let (flag_type, copied) = find(change, source).await?;
    let (_, stored) = find(change, target).await?;
    let copied = copied.ok_or(Missing::SourceState)?;
    let warnings = look_at(change, &Suspects::of_promoted(flag_type, &copied)).await?;
    let states = (copied, stored);
    let state = draft.made_of(&states);
    let write = Write {
        place: target,
        state,
        stored: states.1,
        touches: Touches::BOTH,
        cause: Cause {
            action: Action::FlagPromoted,
            metadata: Some(json!({"source_env_id": source_id, "target_env_id": target.env_id})),
            approval_id: None,
        },
        warnings: &warnings,
        expected,
    };
    let recorded = write.run(change, authority).await?;
    Ok(recorded.map(|state| (state, warnings)))
}

/// Toggles the flag by its earliest passed due time, and clears that time. `None` if there is none: it was cleared, moved, or
/// has already fired, or the flag was archived.
pub(crate) async fn toggle_as_scheduled(
    change: &mut ProjectChange<'_>,
    place: Place,
) -> Result<Option<Recorded<FlagState>>, Refusal> {
    let located = locate(change, place).await?;
    let Some(stored) = located.state.filter(|_| !located.is_archived) else {
        return Ok(None);
    };
    let Some(state) = stored.toggled(change.now()) else {
        return Ok(None);
    };
    let write = Write {
        place,
        state,
        stored: Some(stored),
        touches: Touches::TOGGLE,
        cause: Cause::of(Action::FlagScheduledToggle),
        warnings: &[],
        expected: &Expected::Any,
    };
    write.run(change, Authority::Schedule).await.map(Some)
}

/// Promoting copies `enabled`, `default_value`, `rules`, `percentage_rollout` and `bucketing`. Schedules of the target stay.
#[derive(Clone, Copy, Debug)]
pub struct Promotion {
    /// Whether the variants are copied too; else those of the target stay.
    pub variants: bool,
}

impl Wish for Promotion {
    /// The source state and the target state.
    type Of = (FlagState, Option<FlagState>);
    type Made = FlagState;

    fn apply(&self, (source, target): &Self::Of) -> FlagState {
        let source = source.clone();
        let target = target
            .clone()
            .unwrap_or_else(|| FlagState::initial(source.updated_at));
        let mut state = FlagState {
            enabled: source.enabled,
            default_value: source.default_value,
            rules: source.rules,
            pattern_bytes: source.pattern_bytes,
            percentage_rollout: source.percentage_rollout,
            bucketing: source.bucketing,
            variants: if self.variants {
                source.variants
            } else {
                target.variants
            },
            ..target
        };
        state.compiled_bytes = state.measure();
        state
    }
}

/// The warnings, also noted in the unit.
pub(super) async fn look_at(
    change: &mut ProjectChange<'_>,
    suspects: &Suspects<'_>,
) -> db::Result<Vec<Warning>> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let warnings = warnings(change, org_id, project_id, suspects).await?;
    change.warn(&warnings);
    Ok(warnings)
}

/// The stored state of an existing flag and environment, and the flag's type. Refuses an archived flag.
pub(super) async fn find(
    change: &mut ProjectChange<'_>,
    place: Place,
) -> Result<(FlagType, Option<FlagState>), Refusal> {
    let located = locate(change, place).await?;
    if located.is_archived {
        return Err(Archived.into());
    }
    Ok((located.flag_type, located.state))
}

async fn locate(change: &mut ProjectChange<'_>, place: Place) -> Result<Located, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let Place { flag_id, env_id } = place;
    states::locate_by_id(change, org_id, project_id, flag_id, env_id).await
}

pub(super) struct Write<'a> {
    pub(super) place: Place,
    pub(super) stored: Option<FlagState>,
    pub(super) state: FlagState,
    pub(super) touches: Touches,
    pub(super) cause: Cause,
    pub(super) warnings: &'a [Warning],
    /// The client's precondition.
    pub(super) expected: &'a Expected,
}

impl Write<'_> {
    pub(super) async fn run(
        self,
        change: &mut ProjectChange<'_>,
        authority: Authority<'_>,
    ) -> Result<Recorded<FlagState>, Refusal> {
        let Self {
            place,
            stored,
            mut state,
            touches,
            cause,
            warnings,
            expected,
        } = self;
        let Place { flag_id, env_id } = place;
        let sizes = |state: &FlagState| (state.compiled_bytes, state.pattern_bytes);
        let (bytes_before, patterns_before) = stored.as_ref().map_or((0, 0), sizes);
        let growth = Growth {
            state_bytes: i64::from(state.compiled_bytes) - i64::from(bytes_before),
            state_pattern_bytes: i64::from(state.pattern_bytes) - i64::from(patterns_before),
            ..Growth::default()
        };
        let scope = Scope::Environment(env_id);
        let difference = changed_parts(stored.as_ref(), &state);
        let is_stored = stored.is_some() && difference.is_none();
        let drawn = if is_stored && cause.action != Action::FlagKilled {
            None
        } else {
            Some(change.draw(scope, growth).await?)
        };
        if matches!(
            cause.action,
            Action::FlagStateUpdated | Action::FlagRolledBack
        ) {
            authority.check_keys(touches)?;
        }
        let place = Place { flag_id, env_id };
        let states = (stored.as_ref(), &state);
        let spent = authority
            .check(change, place, cause.action, touches, states)
            .await?;
        expected.check(stored.as_ref().map_or(0, |stored| stored.version))?;
        let Some(drawn) = drawn else {
            let state = stored.unwrap_or(state);
            let unchanged = change.unchanged_since(state.version, scope, ()).await?;
            return match authority {
                // The decision is recorded, whatever it changes.
                Authority::Approved(_) => {
                    let event = cause.event(change, place, Some(&state), Some(&state));
                    Ok(change.record(event, state).await?)
                }
                Authority::Member(_)
                | Authority::Creator(_)
                | Authority::Schedule
                | Authority::Import => Ok(unchanged.map(|()| state)),
            };
        };

        let org_id = change.org_id();
        state.updated_at = change.now();
        state.version = drawn.row_version();
        change.add_versions(difference.map(|difference| NewVersion {
            flag_id,
            env_id: Some(env_id),
            action: cause.action,
            approval_id: cause.approval_id,
            difference,
        }));
        let stated = [Stated {
            flag_id,
            env_id,
            state,
        }];
        states::upsert(change, org_id, &stated, drawn).await?;
        let [Stated { state, .. }] = stated;

        let mut event = cause.event(change, place, stored.as_ref(), Some(&state));
        if !warnings.is_empty() {
            event = event.note("warnings", &warnings);
        }
        if let Some(spent) = spent {
            event = event.note("grant", &spent);
        }
        Ok(change.record(event, state).await?)
    }
}

/// The cause of a change, for the audit log.
pub(super) struct Cause {
    pub(super) action: Action,
    /// `None` if the subject is sufficient.
    pub(super) metadata: Option<Value>,
    pub(super) approval_id: Option<ApprovalId>,
}

impl Cause {
    pub(super) const fn of(action: Action) -> Self {
        Self {
            action,
            metadata: None,
            approval_id: None,
        }
    }

    pub(super) fn event(
        self,
        change: &ProjectChange<'_>,
        place: Place,
        before: Option<&FlagState>,
        after: Option<&FlagState>,
    ) -> Event {
        let subject = Subject::FlagState(place.flag_id, place.env_id);
        let mut event = Event::new(self.action, subject).in_project(change.project().id);
        if let Some(before) = before {
            event = event.before(before);
        }
        if let Some(after) = after {
            event = event.after(after);
        }
        match self.metadata {
            Some(metadata) => event.with(metadata),
            None => event,
        }
    }
}

fn approved(place: Place, approval_id: ApprovalId) -> Cause {
    Cause {
        action: Action::FlagApprovedChangeApplied,
        metadata: Some(json!({"env_id": place.env_id, "approval_id": approval_id})),
        approval_id: Some(approval_id),
    }
}
