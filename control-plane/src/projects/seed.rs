//! The project that every new account starts with (decisions 2.3).

use time::OffsetDateTime;

use super::{
    model::Project,
    store::{self, WriteError},
};
use crate::{
    audit::{
        self,
        model::{Actor, Entry},
    },
    db::{self, Tx},
    environments::{self, model::Environment},
    ids::{EnvId, OrgId, ProjectId},
    publish::version::{self, Change, DrawError, Growth, Scope},
};

const ENVIRONMENTS: [(&str, &str, &str); 3] = [
    ("Development", "dev", "#22c55e"),
    ("Staging", "staging", "#f59e0b"),
    ("Production", "production", "#ef4444"),
];

/// Why the default project was not made.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// The organization has a project of this slug already.
    #[error(transparent)]
    Project(#[from] WriteError),
    /// An environment was refused.
    #[error(transparent)]
    Environment(#[from] environments::store::WriteError),
    /// No version could be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Makes the default project with its three environments, in the transaction that makes the organization. Plan limits do
/// not apply: a trial has none. Nobody needs to wait for the edges: there is no API key yet to ask them with.
///
/// # Errors
/// For an organization that is new, only when the database fails.
pub async fn default_project(
    tx: &mut Tx,
    org_id: OrgId,
    actor: Actor,
    now: OffsetDateTime,
) -> Result<Change, SeedError> {
    let project = Project {
        id: ProjectId::new(now),
        name: "Default Project".to_owned(),
        slug: "default".to_owned(),
        created_at: now,
        updated_at: now,
    };
    store::insert(tx, org_id, &project).await?;
    let entry = |action| Entry::new(org_id, actor, action).in_project(project.id);
    let created = entry("project.created").on(project.id).after(&project);
    audit::store::record(tx, created, now).await?;

    for (name, slug, color) in ENVIRONMENTS {
        let env = Environment {
            id: EnvId::new(now),
            name: name.to_owned(),
            slug: slug.to_owned(),
            color: color.to_owned(),
            created_at: now,
        };
        environments::store::insert(tx, org_id, project.id, &env).await?;
        let created = entry("environment.created").on(env.id).after(&env);
        audit::store::record(tx, created, now).await?;
    }
    Ok(version::draw(tx, org_id, project.id, Scope::Project, Growth::default()).await?)
}
