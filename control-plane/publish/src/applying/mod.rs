//! Whose turn it is at the built-in edge.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use protocol::{
    ids::{EnvId, OrgId},
    wire::message::Push,
};
use tokio::task::{JoinError, JoinSet, spawn_blocking};

/// Pushes that are applied at the same time, each of another environment, and those that wait for that. However long those of
/// one organization take, those of others go on.
#[derive(Debug)]
pub struct Applying<F, T> {
    apply: F,
    tasks: JoinSet<Applied<T>>,
    begun: Vec<Subject>,
    waiting: VecDeque<Push>,
}

/// What came of a push.
#[derive(Debug)]
pub struct Applied<T> {
    /// Of which environment.
    pub env_id: EnvId,
    /// What the edge said, unless it panicked.
    pub outcome: Result<T, JoinError>,
}

/// What a push is about.
#[derive(Clone, Copy, Debug)]
struct Subject {
    env_id: EnvId,
    /// Of removals, which take no time, it is not known.
    org_id: Option<OrgId>,
    is_whole: bool,
}

impl<F, T> Applying<F, T>
where
    F: Fn(&Push) -> T + Clone + Send + 'static,
    T: Send + 'static,
{
    /// Few: the threads are needed for requests too.
    const AT_ONCE: usize = 4;
    /// Of one organization.
    const OF_ONE: usize = 2;
    /// Whole environments, which take longer than changes.
    const WHOLES: usize = 3;
    /// Changes.
    const WAITING: usize = 64;

    /// Nothing yet; `apply` may take long.
    pub fn new(apply: F) -> Self {
        Self {
            apply,
            tasks: JoinSet::new(),
            begun: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Changes are taken at any time. A whole environment would only take memory while another one waits.
    pub fn has_room_for_wholes(&self) -> bool {
        !self.waiting.iter().any(|push| Subject::of(push).is_whole)
    }

    /// Has a push applied when it is its turn. If too many wait, that of the environment which is returned is given up. None
    /// that removes an environment is.
    pub fn add(&mut self, push: Push) -> Option<EnvId> {
        self.waiting.push_back(push);
        self.begin();
        if self.waiting.len() <= Self::WAITING {
            return None;
        }
        let of_org = |org_id| self.subjects().filter(move |(_, one)| one.org_id == org_id);
        let (last, _) = self
            .subjects()
            .filter(|(_, one)| one.org_id.is_some())
            .max_by_key(|(place, one)| (of_org(one.org_id).count(), *place))?;
        self.waiting.remove(last).map(|push| push.env_id())
    }

    /// Begins those whose turn it is: of those that may, first those of organizations that have the fewest begun.
    fn begin(&mut self) {
        while self.begun.len() < Self::AT_ONCE {
            let next = self
                .subjects()
                .filter(|(place, one)| self.may_begin(*place, one))
                .min_by_key(|(place, one)| (self.begun_of(one.org_id), *place));
            let Some((place, subject)) = next else { return };
            let Some(push) = self.waiting.remove(place) else {
                return;
            };
            self.begun.push(subject);
            let apply = self.apply.clone();
            self.tasks.spawn(async move {
                let outcome = spawn_blocking(move || apply(&push)).await;
                Applied {
                    env_id: subject.env_id,
                    outcome,
                }
            });
        }
    }

    /// One environment's pushes are applied in their order.
    fn may_begin(&self, place: usize, subject: &Subject) -> bool {
        let before = self.subjects().take(place).map(|(_, earlier)| earlier);
        let mut same = self.begun.iter().copied().chain(before);
        let wholes = self.begun.iter().filter(|begun| begun.is_whole).count();
        !same.any(|other| other.env_id == subject.env_id)
            && self.begun_of(subject.org_id) < Self::OF_ONE
            && (!subject.is_whole || wholes < Self::WHOLES)
    }

    fn begun_of(&self, org_id: Option<OrgId>) -> usize {
        let of_org = |begun: &&Subject| org_id.is_some() && begun.org_id == org_id;
        self.begun.iter().filter(of_org).count()
    }

    /// Those that wait, with their places.
    fn subjects(&self) -> impl Iterator<Item = (usize, Subject)> {
        self.waiting.iter().map(Subject::of).enumerate()
    }

    /// The next that was applied; `None` when there is none. Cancellation safe.
    ///
    /// # Panics
    /// When a task was aborted, which none is.
    pub async fn next(&mut self) -> Option<Applied<T>> {
        let applied = self.tasks.join_next().await?;
        let applied = applied.expect("a panic of the edge is part of the outcome");
        self.begun.retain(|begun| begun.env_id != applied.env_id);
        self.begin();
        Some(applied)
    }

    /// Waits for what is being applied, and forgets the rest.
    pub async fn finish(&mut self) {
        self.waiting.clear();
        while self.next().await.is_some() {}
    }
}

impl Subject {
    const fn of(push: &Push) -> Self {
        let (org_id, is_whole) = match push {
            Push::Snapshot(snapshot, _) => (Some(snapshot.head.org_id), true),
            Push::Delta(delta) => (Some(delta.head.org_id), false),
            Push::Removed { .. } => (None, false),
        };
        Self {
            env_id: push.env_id(),
            org_id,
            is_whole,
        }
    }
}
