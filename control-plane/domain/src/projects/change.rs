//! Creating, renaming and deleting projects.

use super::{input::ProjectWish, model::Project, store};
use crate::{
    environments::{
        self,
        model::Environment,
        store::{self as environment_store, Doomed},
    },
    events::{Action, Event, Subject},
    orgs::Counted,
    unit::{OrgChange, ProjectChange, Recorded, Unit},
    version::{Growth, Scope},
};
use base::{
    ids::{EnvId, ProjectId},
    refusal::Refusal,
};

/// Creates a project, without environments.
pub async fn create(
    change: &mut OrgChange<'_>,
    project: Project,
) -> Result<Recorded<Project>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let existing = store::count(change, org_id).await?;
    change
        .org()
        .allow_another(Counted::Projects, existing, now)?;
    insert(change, project).await
}

async fn insert(unit: &mut Unit, project: Project) -> Result<Recorded<Project>, Refusal> {
    let org_id = unit.org_id();
    store::insert(unit, org_id, &project).await?;
    let event = event(project.id, |subject| {
        Event::created(Action::ProjectCreated, subject, &project)
    });
    Ok(unit.record(event, project).await?)
}

const DEFAULT_ENVIRONMENTS: [(&str, &str, &str); 3] = [
    ("Development", "dev", "#22c55e"),
    ("Staging", "staging", "#f59e0b"),
    ("Production", "production", "#ef4444"),
];

/// Creates the default project of a new organization, with three environments. Limits of the plan do not apply: a trial has
/// none.
pub async fn create_default(unit: &mut Unit) -> Result<Recorded<()>, Refusal> {
    let now = unit.now();
    let project = Project {
        id: ProjectId::new(now),
        name: "Default Project".to_owned(),
        slug: "default".to_owned(),
        created_at: now,
        updated_at: now,
    };
    let mut made = insert(unit, project.clone()).await?.map(drop);
    let mut change = unit.holding(project);
    for (name, slug, color) in DEFAULT_ENVIRONMENTS {
        let env = Environment {
            id: EnvId::new(now),
            name: name.to_owned(),
            slug: slug.to_owned(),
            color: color.to_owned(),
            protected: false,
            required_approvals: 1,
            created_at: now,
            version: 1,
        };
        made = environments::change::insert(&mut change, env)
            .await?
            .map(drop);
    }
    Ok(made)
}

/// Changes name and slug. Edges serve neither. Records nothing if both stay the same.
pub async fn update(
    change: &mut ProjectChange<'_>,
    wish: &ProjectWish,
) -> Result<Recorded<Project>, Refusal> {
    let org_id = change.org_id();
    let before = change.project().clone();
    let project = wish.apply(&before);
    if project == before {
        return Ok(change.unchanged(before));
    }
    let project = Project {
        updated_at: change.now(),
        ..project
    };
    store::update(change, org_id, &project).await?;
    let event = event(project.id, |subject| {
        Event::updated(Action::ProjectUpdated, subject, &before, &project)
    });
    Ok(change.record(event, project).await?)
}

/// Deletes a project for a member, unless it has protected environments.
pub async fn delete_unprotected(change: &mut ProjectChange<'_>) -> Result<Recorded<()>, Refusal> {
    environments::guard::refuse_deletion_of_all(change).await?;
    delete(change).await
}

/// Deletes a project with everything in it.
pub async fn delete(change: &mut ProjectChange<'_>) -> Result<Recorded<()>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let project = change.project().clone();
    let drawn = change.draw(Scope::Project, Growth::default()).await?;
    environment_store::delete(change, org_id, project.id, Doomed::All, drawn, now).await?;
    change.expire_history().await?;
    store::delete(change, org_id, project.id).await?;
    let event = event(project.id, |subject| {
        Event::deleted(Action::ProjectDeleted, subject, &project)
    });
    Ok(change.record(event, ()).await?)
}

fn event(project_id: ProjectId, make: impl FnOnce(Subject) -> Event) -> Event {
    make(Subject::Project(project_id)).in_project(project_id)
}
