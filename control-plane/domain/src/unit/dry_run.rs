//! A unit that is rolled back after its operation, and the changes it made.

use serde_json::Value;

use super::{Recorded, Unit};
use crate::{
    dry_run::model::{DryRun, PlannedChange},
    environments,
    events::{Event, Subject},
    flags,
};
use base::{db, ids::ProjectId};

/// A recorded event of a dry run.
#[derive(Debug)]
pub(super) struct Tried {
    subject: Subject,
    project_id: Option<ProjectId>,
    before: Option<Value>,
    after: Option<Value>,
}

impl Tried {
    pub(super) fn of(event: &Event) -> Self {
        let (before, after) = event.states();
        Self {
            subject: event.subject(),
            project_id: event.project_id(),
            before: before.cloned(),
            after: after.cloned(),
        }
    }
}

impl Unit {
    /// Makes it a dry run: its changes are noted, and it cannot be committed.
    #[must_use]
    pub fn as_dry_run(self) -> Self {
        Self {
            tried: Some(Vec::new()),
            ..self
        }
    }

    pub const fn is_dry_run(&self) -> bool {
        self.tried.is_some()
    }

    /// Describes what it changed, and rolls it back. The answer is the operation's proof that it was recorded.
    pub async fn roll_back<T>(mut self, recorded: Recorded<T>) -> db::Result<DryRun> {
        drop(recorded);
        let mut changes = Vec::new();
        for tried in self.tried.take().unwrap_or_default() {
            changes.extend(self.planned(tried).await?);
        }
        drop(self);
        Ok(DryRun::of(changes.len(), changes.into_iter()))
    }

    /// `None` if nothing that evaluation depends on would change.
    async fn planned(&mut self, tried: Tried) -> db::Result<Option<PlannedChange>> {
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
                let org_id = self.org_id;
                let flag = flags::store::find_by_id(self, org_id, project_id, flag_id).await?;
                let env = environments::store::find(self, org_id, project_id, env_id).await?;
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
}
