//! Dry runs: a write is done under its lock, described, and rolled back, so that it cannot differ from the real one.

pub mod model;

use self::model::{DryRun, PlannedChange};
use crate::{
    environments,
    events::Subject,
    flags,
    unit::{Recorded, Tried, Unit},
};
use base::db;

/// Describes what a dry run changed, and rolls it back. The answer is the operation's proof that it was recorded.
pub async fn roll_back<T>(mut unit: Unit, recorded: Recorded<T>) -> db::Result<DryRun> {
    drop(recorded);
    let mut changes = Vec::new();
    for tried in unit.take_tried() {
        changes.extend(planned(&mut unit, tried).await?);
    }
    Ok(DryRun::of(changes.len(), changes.into_iter()))
}

/// `None` if nothing that evaluation depends on would change.
async fn planned(unit: &mut Unit, tried: Tried) -> db::Result<Option<PlannedChange>> {
    let key = [&tried.after, &tried.before]
        .into_iter()
        .flatten()
        .find_map(|shown| shown["key"].as_str().map(str::to_owned));
    let Some(change) = PlannedChange::between(tried.before, tried.after) else {
        return Ok(None);
    };
    Ok(match (tried.subject, tried.project_id) {
        (Subject::Flag(_), _) => Some(PlannedChange {
            flag_key: key,
            ..change
        }),
        (Subject::Segment(_), _) => Some(PlannedChange {
            segment_key: key,
            ..change
        }),
        (Subject::FlagState(flag_id, env_id), Some(project_id)) => {
            let org_id = unit.org_id();
            let flag = flags::store::find_by_id(unit, org_id, project_id, flag_id).await?;
            let env = environments::store::find(unit, org_id, project_id, env_id).await?;
            Some(PlannedChange {
                flag_key: flag.map(|flag| flag.key),
                env_id: Some(env_id),
                env_slug: env.map(|env| env.slug),
                ..change
            })
        }
        _ => None,
    })
}
