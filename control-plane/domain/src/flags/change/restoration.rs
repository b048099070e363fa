//! Rolling a state back.

use serde_json::json;
use time::OffsetDateTime;

use super::{
    Authority, Place,
    state::{Cause, Write, find, look_at},
};
use crate::{
    events::Action,
    flags::{history::model::touched, states::model::FlagState, warnings::Suspects},
    unit::{Draft, Expected, ProjectChange, Recorded, Wish},
};
use base::{refusal::Refusal, warning::Warning};

#[derive(Clone, Debug)]
pub struct Restoration {
    /// The version.
    pub version: i64,
    pub kept: FlagState,
    /// Due times up to now are left out: they would fire at once.
    pub now: OffsetDateTime,
}

impl Wish for Restoration {
    type Of = Option<FlagState>;
    type Made = FlagState;

    fn apply(&self, stored: &Option<FlagState>) -> FlagState {
        let ahead = |due: Option<OffsetDateTime>| due.filter(|due| *due > self.now);
        let kept = self.kept.clone();
        FlagState {
            id: stored.as_ref().map_or(kept.id, |stored| stored.id),
            scheduled_enable_at: ahead(kept.scheduled_enable_at),
            scheduled_disable_at: ahead(kept.scheduled_disable_at),
            ..kept
        }
    }
}

/// Rolls a state back. Requires the permissions that changing the differing fields requires. Returns warnings about the whole
/// state.
pub async fn roll_back(
    change: &mut ProjectChange<'_>,
    place: Place,
    draft: Draft<Restoration>,
    authority: Authority<'_>,
    expected: &Expected,
) -> Result<Recorded<(FlagState, Vec<Warning>)>, Refusal> {
    let (flag_type, stored) = find(change, place).await?;
    let version = draft.wish().version;
    let state = draft.made_of(&stored);
    let warnings = look_at(change, &Suspects::of_promoted(flag_type, &state)).await?;
    let initial;
    let before = match &stored {
        Some(stored) => stored,
        None => {
            initial = FlagState::initial(change.now());
            &initial
        }
    };
    let write = Write {
        place,
        touches: touched(before, &state),
        state,
        stored,
        cause: Cause {
            action: Action::FlagRolledBack,
            metadata: Some(json!({"env_id": place.env_id, "version": version})),
            approval_id: None,
        },
        warnings: &warnings,
        expected,
    };
    let recorded = write.run(change, authority).await?;
    Ok(recorded.map(|state| (state, warnings)))
}
