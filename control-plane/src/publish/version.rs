//! Drawing a version: the one statement that makes a change visible to publishers.
//!
//! Every change that can alter an answer draws a number from its project's counter, in its own transaction. The row lock
//! of the counter is held until commit, so the versions of a project commit in their order, and whoever reads version `n`
//! reads everything up to `n`. Compiled sizes are kept under the same lock: a bound over the whole costs no look at the whole.

use protocol::snapshot::Version;
use serde::{Deserialize, Serialize};

use crate::{
    db::{self, Tx},
    ids::{EnvId, OrgId, ProjectId},
};

/// Largest compiled environment, bytes (decisions 11.6). Well under what a message of the link may hold.
pub const MAX_COMPILED_BYTES: i64 = 48 * 1024 * 1024;

/// What a committed change asks of the publisher.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[must_use = "the caller waits for the edges and tells the version"]
pub struct Change {
    /// The drawn version.
    pub version: Version,
    /// The environments that carry it.
    pub environments: Vec<EnvId>,
}

impl Change {
    /// The version as rows keep it (`changed_version`).
    #[must_use]
    pub fn row_version(&self) -> i64 {
        i64::try_from(self.version).expect("versions are drawn from a column of this type")
    }
}

/// Which environments a change touches.
#[derive(Clone, Copy, Debug)]
pub enum Scope {
    /// All of the project: a flag or a segment changed.
    Project,
    /// One: a state, a key, or its slug changed.
    Environment(EnvId),
}

/// How a change alters compiled sizes and counts. Grown by the new size, shrunk by the old one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    /// Bytes that every environment of the project carries.
    pub shared_bytes: i64,
    /// Bytes that the environment of the scope carries alone.
    pub state_bytes: i64,
    /// Flags of the project.
    pub flags: i32,
    /// Segments of the project.
    pub segments: i32,
}

/// Why a version was not drawn. The transaction must be given up.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The project is gone.
    #[error("project not found")]
    ProjectGone,
    /// An environment would exceed [`MAX_COMPILED_BYTES`].
    #[error("the compiled environment would exceed 48 MiB")]
    TooLarge,
    /// The project would exceed 20,000 flags.
    #[error("a project has at most 20000 flags")]
    TooManyFlags,
    /// The project would exceed 5,000 segments.
    #[error("a project has at most 5000 segments")]
    TooManySegments,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl From<sqlx::Error> for DrawError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}

const MAX_FLAGS: i32 = 20_000;
const MAX_SEGMENTS: i32 = 5_000;

/// Draws the next version of the project, takes its lock until commit, marks the environments of `scope` with it, and
/// announces the change at commit. Rows that changed are to carry the version in `changed_version`.
///
/// Take it as early as the transaction knows what it will change: whoever holds it decides alone.
///
/// # Errors
/// [`DrawError`]; bounds are checked only against growth, so that what exists can still shrink.
pub async fn draw(
    tx: &mut Tx,
    org_id: OrgId,
    project_id: ProjectId,
    scope: Scope,
    growth: Growth,
) -> Result<Change, DrawError> {
    let project = sqlx::query!(
        "UPDATE projects
         SET version = version + 1,
             flag_count = flag_count + $3,
             segment_count = segment_count + $4,
             shared_bytes = shared_bytes + $5
         WHERE id = $1 AND org_id = $2
         RETURNING version, flag_count, segment_count, shared_bytes",
        project_id as ProjectId,
        org_id as OrgId,
        growth.flags,
        growth.segments,
        growth.shared_bytes,
    )
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(DrawError::ProjectGone)?;

    if growth.flags > 0 && project.flag_count > MAX_FLAGS {
        return Err(DrawError::TooManyFlags);
    }
    if growth.segments > 0 && project.segment_count > MAX_SEGMENTS {
        return Err(DrawError::TooManySegments);
    }

    let only = match scope {
        Scope::Project => None,
        Scope::Environment(env_id) => Some(env_id),
    };
    let touched = sqlx::query!(
        "UPDATE environments
         SET version = $3,
             changed_in = pg_current_xact_id(),
             state_bytes = state_bytes + $5
         WHERE project_id = $1 AND org_id = $2 AND ($4::uuid IS NULL OR id = $4)
         RETURNING id, state_bytes",
        project_id as ProjectId,
        org_id as OrgId,
        project.version,
        only as Option<EnvId>,
        growth.state_bytes,
    )
    .fetch_all(&mut **tx)
    .await?;

    let grows = growth.shared_bytes > 0 || growth.state_bytes > 0;
    if grows
        && touched
            .iter()
            .any(|env| project.shared_bytes + env.state_bytes > MAX_COMPILED_BYTES)
    {
        return Err(DrawError::TooLarge);
    }

    tx.announce();
    Ok(Change {
        version: u64::try_from(project.version).expect("the counter starts at 0 and only grows"),
        environments: touched.into_iter().map(|env| env.id).collect(),
    })
}
