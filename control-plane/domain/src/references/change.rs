//! Taking in a scan, and forgetting a repository, under the project's lock, which protects the bound on them.

use super::{input::Scan, model::Scanned, store};
use crate::{
    events::{Action, Actor, Event, Subject},
    unit::{ProjectChange, Recorded},
};
use base::{
    ids::RepositoryId,
    refusal::{Missing, Refusal},
};

/// The most repositories of a project.
const MAX_REPOSITORIES: i64 = 50;

/// Replaces what is known of a repository by what a scan found.
pub async fn replace(
    change: &mut ProjectChange<'_>,
    scan: Scan,
) -> Result<Recorded<Scanned>, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let before = store::find_named(change, org_id, project_id, &scan.repository).await?;
    if before.is_none() && store::count(change, org_id, project_id).await? >= MAX_REPOSITORIES {
        return Err(Refusal::invalid("a project has at most 50 repositories"));
    }
    let mut keys: Vec<&str> = scan.references.iter().map(|one| one.key.as_str()).collect();
    keys.dedup();
    let unknown_keys = store::unknown_keys(change, org_id, project_id, &keys).await?;
    let scanner = match change.actor() {
        Actor::User { id, .. } => Some(id),
        _ => None,
    };
    let id = before
        .as_ref()
        .map_or_else(|| RepositoryId::new(now), |one| one.id);
    let counts = (scan.references.len(), keys.len());
    store::upsert(change, org_id, project_id, id, &scan, counts, scanner, now).await?;
    store::replace(change, org_id, project_id, id, &scan.references).await?;
    let stored = store::find(change, org_id, project_id, id).await?;
    let repository = stored.ok_or(Missing::Repository)?;
    let subject = Subject::Repository(id);
    let event = match &before {
        None => Event::created(Action::RepositoryScanned, subject, &repository),
        Some(before) => Event::updated(Action::RepositoryScanned, subject, before, &repository),
    };
    let scanned = Scanned {
        repository,
        unknown_keys,
    };
    Ok(change.record(event.in_project(project_id), scanned).await?)
}

/// Forgets a repository with its references.
pub async fn delete(
    change: &mut ProjectChange<'_>,
    id: RepositoryId,
) -> Result<Recorded<()>, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let found = store::find(change, org_id, project_id, id).await?;
    let repository = found.ok_or(Missing::Repository)?;
    store::delete(change, org_id, id).await?;
    let subject = Subject::Repository(id);
    let event = Event::deleted(Action::RepositoryForgotten, subject, &repository);
    Ok(change.record(event.in_project(project_id), ()).await?)
}
