//! A change under the lock of a project: of everything its edges serve.

use serving::clock::Clock;

use super::{Locked, Recorded, Unit};
use crate::{
    projects::model::Project,
    version::{Drawing, Drawn, Growth, Row, Scope},
};
use base::{
    db::{self, Tx},
    ids::{EnvId, OrgId, ProjectId},
    looks::Begun,
    refusal::Refusal,
};

/// A unit that holds the project's row, which orders all changes of the project: its environments, flags, states, segments and
/// API keys are stable until the commit.
pub type ProjectChange<'a> = Locked<'a, Project>;

impl Unit {
    /// Takes the project's lock. `None` when the organization has no such project.
    ///
    /// # Panics
    /// When the unit has drawn a version of another project.
    pub async fn lock_project(
        &mut self,
        clock: &Clock,
        id: ProjectId,
    ) -> db::Result<Option<ProjectChange<'_>>> {
        let found = lock(&mut self.tx, self.org_id, id).await?;
        self.now = clock.now();
        Ok(found.map(|(project, next)| {
            self.next = next;
            self.holding(project)
        }))
    }

    /// Continues with a project created by this unit, invisible to others.
    pub fn holding(&mut self, project: Project) -> ProjectChange<'_> {
        let drawn_of = self.drawing.as_ref().map(Drawing::project_id);
        assert!(
            drawn_of.is_none_or(|drawn_of| drawn_of == project.id),
            "a unit of work changes what edges serve of one project"
        );
        Locked {
            unit: self,
            held: project,
        }
    }
}

impl ProjectChange<'_> {
    pub const fn project(&self) -> &Project {
        &self.held
    }

    /// Draws the project's next version, the same one for the whole unit, with its scope and growth. Edges are notified at the
    /// commit.
    ///
    /// # Errors
    /// When a bound would be exceeded; only growth is refused, so that existing data can still shrink.
    pub async fn draw(&mut self, scope: Scope, growth: Growth) -> Result<Drawn, Refusal> {
        let Unit {
            tx,
            org_id,
            drawing,
            next,
            ..
        } = &mut *self.unit;
        let project_id = self.held.id;
        let drawing = match drawing {
            Some(drawing) => drawing,
            none => none.insert(match next.take() {
                Some(next) if next.project_id() == project_id => next,
                Some(_) | None => Drawing::begin(tx, *org_id, project_id).await?,
            }),
        };
        drawing.touch(scope, growth)?;
        Ok(drawing.drawn())
    }

    /// The result of an operation that found stored what it was to store, since `version` and served within `scope`: there is
    /// nothing to draw or to record. The answer reports that version, and waits for edges that do not serve it yet.
    pub async fn unchanged_since<T>(
        &mut self,
        version: i64,
        scope: Scope,
        made: T,
    ) -> db::Result<Recorded<T>> {
        let project_id = self.held.id;
        let Unit {
            tx,
            org_id,
            found,
            next,
            permit,
            ..
        } = &mut *self.unit;
        // No poll follows, since nothing is announced; a write that names edges waits for the next one.
        let begun = permit
            .as_ref()
            .map_or_else(Begun::default, |_| tx.looks_before());
        let current = match next.take() {
            Some(next) if next.project_id() == project_id => next,
            Some(_) | None => Drawing::begin(tx, *org_id, project_id).await?,
        };
        *found = Some(current.found(scope, version, begun));
        *next = Some(current);
        Ok(self.unchanged(made))
    }
}

/// Locks a project of the organization until the end of the transaction, and reads the data for its next version.
///
/// The lock orders the versions of the project: decisions are based on its environments, flags, states, segments and API
/// keys read under it. Reads and foreign keys do not wait for it.
///
/// A statement that waited for the lock sees older data in the rows that it does not lock. If another transaction drew a
/// version meanwhile, it returns no version ([`Drawing::begin`]).
async fn lock(
    tx: &mut Tx,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Option<(Project, Option<Drawing>)>> {
    let rows = sqlx::query!(
        r#"SELECT projects.id, projects.name, projects.slug, projects.created_at, projects.updated_at,
                  projects.version, flag_count, segment_count, shared_bytes, shared_pattern_bytes,
                  (SELECT seen.version FROM projects AS seen WHERE seen.org_id = $1 AND seen.id = $2) AS "seen!",
                  environments.id AS "env_id?: EnvId", environments.state_bytes AS "state_bytes?",
                  environments.state_pattern_bytes AS "state_pattern_bytes?"
           FROM projects
           LEFT JOIN environments ON environments.project_id = projects.id
           WHERE projects.org_id = $1 AND projects.id = $2
           FOR NO KEY UPDATE OF projects"#,
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_all(&mut **tx)
    .await?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let project = Project {
        id: first.id,
        name: first.name.clone(),
        slug: first.slug.clone(),
        created_at: first.created_at,
        updated_at: first.updated_at,
    };
    let is_current = first.seen == first.version;
    let rows = rows.into_iter().map(|row| Row {
        version: row.version,
        flag_count: row.flag_count,
        segment_count: row.segment_count,
        shared_bytes: row.shared_bytes,
        shared_pattern_bytes: row.shared_pattern_bytes,
        env_id: row.env_id,
        state_bytes: row.state_bytes,
        state_pattern_bytes: row.state_pattern_bytes,
    });
    let drawing = Drawing::from_rows(org_id, project_id, rows.collect());
    Ok(Some((project, drawing.filter(|_| is_current))))
}
