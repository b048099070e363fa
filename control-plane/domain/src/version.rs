//! Drawing a version: makes a change visible to publishers.
//!
//! Every change that can alter an answer draws the next number of its project's counter. The project's row is locked from
//! before that until the commit, so versions of a project commit in order, and a reader of version `n` sees everything up to
//! `n`. Compiled sizes are maintained under the same lock, so that bounds need no scan of the whole.
//!
//! A unit of work draws one number, however much it changes. Its scope is collected in memory and written once, as the unit's
//! last statements.

use std::collections::BTreeMap;

pub use definition::size::compiled_size;
use futures_util::future::BoxFuture;
use protocol::snapshot::Version;
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;

use base::{
    db::{self, CHANGES_CHANNEL, Tx},
    ids::{EnvId, OrgId, ProjectId},
    looks::Begun,
    refusal::Refusal,
};

/// Largest compiled environment, in bytes. Well under the limit of a message of the link.
pub const MAX_COMPILED_BYTES: i64 = 48 * 1024 * 1024;
/// Bytes of the compiled patterns of an environment, the limit of edges.
const MAX_PATTERN_BYTES: i64 = protocol::eval::MAX_PATTERN_BYTES as i64;

/// A committed change for the publisher.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[must_use = "the caller waits for the edges and tells the version"]
pub struct Change {
    pub version: Version,
    pub environments: Vec<EnvId>,
    /// The polls of the database that began before the change; local to this process.
    #[serde(skip)]
    pub begun: Begun,
}

impl Change {
    /// The change as edges must serve it.
    #[must_use]
    pub fn published(&self) -> fanout::Change {
        fanout::Change {
            version: self.version,
            environments: self.environments.iter().map(|id| (*id).into()).collect(),
        }
    }
}

/// Waits for edges: the publisher's interface for operations.
pub trait Publishing: Send + Sync {
    /// Waits until the connected edges serve the change, for a bounded time. Call it after the commit.
    fn reached<'a>(&'a self, change: &'a Change) -> BoxFuture<'a, ()>;
}

/// A drawn version for rows (`changed_version`). Only a locked project provides one, and every write of served data requires
/// one.
#[derive(Clone, Copy, Debug)]
pub struct Drawn(i64);

impl Drawn {
    #[must_use]
    pub const fn row_version(self) -> i64 {
        self.0
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Scope {
    /// All of the project: a flag or a segment changed.
    Project,
    /// One: a state, a key, or its slug changed.
    Environment(EnvId),
}

/// The change of compiled sizes and counts: new size minus old size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    /// Bytes in every environment of the project.
    pub shared_bytes: i64,
    /// Bytes in the environment of the scope.
    pub state_bytes: i64,
    /// Compiled pattern bytes in every environment of the project.
    pub shared_pattern_bytes: i64,
    /// Compiled pattern bytes in the environment of the scope.
    pub state_pattern_bytes: i64,
    pub flags: i32,
    pub segments: i32,
}

const MAX_FLAGS: i64 = 20_000;
const MAX_SEGMENTS: i64 = 5_000;
pub const TOO_MANY_FLAGS: &str = "a project has at most 20000 flags";
pub const TOO_MANY_SEGMENTS: &str = "a project has at most 5000 segments";

/// The remaining capacity for flags and segments of a project, for dry runs. A missing project has capacity: it is refused
/// elsewhere.
pub async fn room(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<(i64, i64)> {
    let row = sqlx::query!(
        "SELECT flag_count, segment_count FROM projects WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map_or((MAX_FLAGS, MAX_SEGMENTS), |row| {
        let flags = MAX_FLAGS - i64::from(row.flag_count);
        (flags, MAX_SEGMENTS - i64::from(row.segment_count))
    }))
}

#[derive(Debug)]
pub struct Drawing {
    org_id: OrgId,
    project_id: ProjectId,
    version: i64,
    /// Final count in the project.
    flags: i64,
    segments: i64,
    shared_bytes: i64,
    shared_pattern_bytes: i64,
    /// The part added by this unit.
    growth: Growth,
    environments: BTreeMap<EnvId, Environment>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Environment {
    state_bytes: i64,
    pattern_bytes: i64,
    growth: Growth,
    is_touched: bool,
}

/// A project, once per environment.
pub(crate) struct Row {
    pub(crate) version: i64,
    pub(crate) flag_count: i32,
    pub(crate) segment_count: i32,
    pub(crate) shared_bytes: i64,
    pub(crate) shared_pattern_bytes: i64,
    pub(crate) env_id: Option<EnvId>,
    pub(crate) state_bytes: Option<i64>,
    pub(crate) state_pattern_bytes: Option<i64>,
}

impl Drawing {
    /// Draws the next version of a project locked by the transaction.
    pub async fn begin(tx: &mut Tx, org_id: OrgId, project_id: ProjectId) -> db::Result<Self> {
        let rows = sqlx::query_as!(
            Row,
            r#"SELECT projects.version, flag_count, segment_count, shared_bytes, shared_pattern_bytes,
                      environments.id AS "env_id?: EnvId", environments.state_bytes AS "state_bytes?",
                      environments.state_pattern_bytes AS "state_pattern_bytes?"
               FROM projects
               LEFT JOIN environments ON environments.project_id = projects.id
               WHERE projects.org_id = $1 AND projects.id = $2"#,
            org_id as OrgId,
            project_id as ProjectId,
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(Self::from_rows(org_id, project_id, rows).ok_or(sqlx::Error::RowNotFound)?)
    }

    /// `None` if there is no project.
    pub(crate) fn from_rows(org_id: OrgId, project_id: ProjectId, rows: Vec<Row>) -> Option<Self> {
        let project = rows.first()?;
        Some(Self {
            org_id,
            project_id,
            version: project.version + 1,
            flags: project.flag_count.into(),
            segments: project.segment_count.into(),
            shared_bytes: project.shared_bytes,
            shared_pattern_bytes: project.shared_pattern_bytes,
            growth: Growth::default(),
            environments: rows
                .iter()
                .filter_map(|row| {
                    let env = Environment {
                        state_bytes: row.state_bytes?,
                        pattern_bytes: row.state_pattern_bytes?,
                        ..Environment::default()
                    };
                    Some((row.env_id?, env))
                })
                .collect(),
        })
    }

    pub const fn project_id(&self) -> ProjectId {
        self.project_id
    }

    /// The version for changed rows.
    pub const fn drawn(&self) -> Drawn {
        Drawn(self.version)
    }

    /// Adds the environments of `scope` to the version, with their growth.
    pub fn touch(&mut self, scope: Scope, growth: Growth) -> Result<(), Refusal> {
        self.flags += i64::from(growth.flags);
        self.segments += i64::from(growth.segments);
        self.shared_bytes += growth.shared_bytes;
        self.shared_pattern_bytes += growth.shared_pattern_bytes;
        self.growth.add(growth);
        if growth.flags > 0 && self.flags > MAX_FLAGS {
            return Err(Refusal::invalid(TOO_MANY_FLAGS));
        }
        if growth.segments > 0 && self.segments > MAX_SEGMENTS {
            return Err(Refusal::invalid(TOO_MANY_SEGMENTS));
        }

        let grows = growth.shared_bytes > 0 || growth.state_bytes > 0;
        let patterns_grow = growth.shared_pattern_bytes > 0 || growth.state_pattern_bytes > 0;
        let (shared_bytes, shared_pattern_bytes) = (self.shared_bytes, self.shared_pattern_bytes);
        let touch = |env: &mut Environment| {
            env.is_touched = true;
            env.state_bytes += growth.state_bytes;
            env.pattern_bytes += growth.state_pattern_bytes;
            env.growth.add(growth);
            if grows && shared_bytes + env.state_bytes > MAX_COMPILED_BYTES {
                return Err(Refusal::invalid(
                    "the compiled environment would exceed 48 MiB",
                ));
            }
            if patterns_grow && shared_pattern_bytes + env.pattern_bytes > MAX_PATTERN_BYTES {
                return Err(Refusal::invalid(
                    "the compiled regex patterns of the environment would exceed 16 MiB",
                ));
            }
            Ok(())
        };
        match scope {
            Scope::Project => self.environments.values_mut().try_for_each(touch),
            // An environment created by this unit is not among those read.
            Scope::Environment(env_id) => touch(self.environments.entry(env_id).or_default()),
        }
    }

    /// The committed change that stored what a unit found unchanged, in `version` and served within `scope`.
    pub fn found(&self, scope: Scope, version: i64, begun: Begun) -> Change {
        Change {
            version: u64::try_from(version).expect("the counter starts at 0 and only grows"),
            environments: match scope {
                Scope::Project => self.environments.keys().copied().collect(),
                Scope::Environment(env_id) => vec![env_id],
            },
            begun,
        }
    }

    /// Whether the project had flags before this unit.
    #[must_use]
    pub fn had_flags(&self) -> bool {
        self.flags > i64::from(self.growth.flags)
    }

    /// Writes the version to the project and its environments, and notifies publishers at the commit. An environment deleted by
    /// the unit is only reported as such. Reads whether any webhook may listen to what happened, which spares most organizations
    /// writing for it.
    pub async fn write(self, tx: &mut Tx) -> db::Result<(Change, bool)> {
        let touched = || self.environments.iter().filter(|(_, env)| env.is_touched);
        let environments: Vec<EnvId> = touched().map(|(env_id, _)| *env_id).collect();
        let growth = touched().map(|(_, env)| env.growth);
        let (grown, patterns_grown): (Vec<i64>, Vec<i64>) = growth
            .map(|growth| (growth.state_bytes, growth.state_pattern_bytes))
            .unzip();
        let announcer = tx.announcer().to_owned();
        let written = sqlx::query!(
            r#"WITH drawn AS (
                 UPDATE projects
                 SET version = $3,
                     flag_count = flag_count + $4,
                     segment_count = segment_count + $5,
                     shared_bytes = shared_bytes + $6,
                     shared_pattern_bytes = shared_pattern_bytes + $7
                 WHERE org_id = $1 AND id = $2
             ), carried AS (
                 UPDATE environments
                 SET version = $3,
                     changed_in = pg_current_xact_id(),
                     state_bytes = state_bytes + touched.growth,
                     state_pattern_bytes = state_pattern_bytes + touched.pattern_growth
                 FROM unnest($8::uuid[], $9::bigint[], $10::bigint[]) AS touched (id, growth, pattern_growth)
                 WHERE org_id = $1 AND project_id = $2 AND environments.id = touched.id
             )
             SELECT pg_notify($11, $12) AS told,
                    EXISTS (SELECT FROM webhooks WHERE org_id = $1 AND enabled) AS "is_heard!""#,
            self.org_id as OrgId,
            self.project_id as ProjectId,
            self.version,
            self.growth.flags,
            self.growth.segments,
            self.growth.shared_bytes,
            self.growth.shared_pattern_bytes,
            &environments as &[EnvId],
            &grown,
            &patterns_grown,
            CHANGES_CHANNEL,
            announcer,
        )
        .fetch_one(&mut **tx)
        .await?;

        tx.note_announced();
        let change = Change {
            version: u64::try_from(self.version).expect("the counter starts at 0 and only grows"),
            environments,
            begun: tx.looks_before(),
        };
        Ok((change, written.is_heard))
    }
}

impl Growth {
    const fn add(&mut self, other: Self) {
        self.shared_bytes += other.shared_bytes;
        self.state_bytes += other.state_bytes;
        self.shared_pattern_bytes += other.shared_pattern_bytes;
        self.state_pattern_bytes += other.state_pattern_bytes;
        self.flags += other.flags;
        self.segments += other.segments;
    }
}
