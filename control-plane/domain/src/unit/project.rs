//! A change under the lock of a project: of everything its edges serve.

use serving::clock::Clock;

use super::{Locked, Recorded, Unit, store::lock_project};
use crate::{
    projects::model::Project,
    version::{Drawing, Drawn, Growth, Scope},
};
use base::{db, ids::ProjectId, looks::Begun, refusal::Refusal};

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
        let found = lock_project(&mut self.tx, self.org_id, id).await?;
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

    /// The version of the project as it is; `None` once this unit has drawn one, or if another did while this one waited for the lock.
    pub fn locked_version(&self) -> Option<i64> {
        let next = self.unit.next.as_ref();
        let next =
            next.filter(|next| next.project_id() == self.held.id && self.unit.drawing.is_none());
        next.map(|next| next.drawn().row_version() - 1)
    }

    /// The version that was drawn, if any.
    pub fn drawn_version(&self) -> Option<i64> {
        let drawing = self.unit.drawing.as_ref();
        drawing.map(|drawing| drawing.drawn().row_version())
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
