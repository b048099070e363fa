//! A unit that is rolled back after its operation, and the changes it made.

use serde_json::Value;

use super::{Recorded, Unit};
use crate::events::{Event, Subject};
use base::ids::ProjectId;

/// A recorded event of a dry run.
#[derive(Debug)]
pub(crate) struct Tried {
    pub(crate) subject: Subject,
    pub(crate) project_id: Option<ProjectId>,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
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

    /// The events noted so far, which it forgets.
    pub(crate) fn take_tried(&mut self) -> Vec<Tried> {
        self.tried.take().unwrap_or_default()
    }
}

impl<T> Recorded<T> {
    /// Rolls the dry run back, and returns what it would have made.
    ///
    /// # Panics
    /// When the unit is none.
    pub fn rolled_back(self, unit: Unit) -> T {
        assert!(unit.is_dry_run(), "what was made is read after the commit");
        drop(unit);
        self.0
    }
}
