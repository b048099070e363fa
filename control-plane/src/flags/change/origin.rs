//! Who and what a version in a flag's history comes from.

use crate::{events::Action, flags::history::model::Origin, unit::ProjectChange};

/// The origin of versions that are written in a change of the project.
pub(crate) fn origin(change: &ProjectChange<'_>, action: Action) -> Origin {
    let (actor_type, actor_id) = change.actor().shown();
    Origin {
        project_id: change.project().id,
        action: action.as_str(),
        actor_type,
        actor_id,
        approval_id: None,
        at: change.now(),
    }
}
