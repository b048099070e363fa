//! Work in slices, between which other requests have their turn. Whatever takes more than a slice goes on only with a place
//! among the large answers.

use protocol::{
    eval::{Evaluator, FlagIndex},
    ids::OrgId,
};
use tokio::task::yield_now;

use crate::{Edge, current::Served, places::Place};

/// The work in a slice: about five hundred plain flags, or a tenth of a millisecond. The last flag of a slice may take it
/// to some milliseconds.
pub(super) const SLICE: u64 = 256 << 10;
/// The most flags that evaluations go through without a place.
const MANY: u32 = 500;

/// Where a slice ends. To be kept until the answer is made.
pub(super) struct Slices<'e> {
    edge: &'e Edge,
    org_id: OrgId,
    done: u64,
    place: Option<Place>,
}

impl<'e> Slices<'e> {
    pub(super) const fn new(edge: &'e Edge, org_id: OrgId) -> Self {
        Self {
            edge,
            org_id,
            done: 0,
            place: None,
        }
    }

    /// Waits for a place, unless there is one.
    pub(super) async fn take_place(&mut self) {
        if self.place.is_none() {
            self.place = Some(self.edge.parts().places.enter(self.org_id).await);
        }
    }

    pub(super) async fn end_if_due(&mut self, work: u64) {
        if work - self.done >= SLICE {
            self.done = work;
            self.take_place().await;
            yield_now().await;
        }
    }

    /// Settles what these flags require, each flag by itself: one may take some milliseconds, and all together any time.
    pub(super) async fn settle<F>(
        &mut self,
        environment: &Served,
        evaluator: &mut Evaluator<'_, '_>,
        flags: F,
    ) where
        F: IntoIterator<Item = FlagIndex> + Clone,
    {
        let reach = flags
            .clone()
            .into_iter()
            .map(|flag| environment.reach(flag))
            .fold(0, u32::saturating_add);
        if reach == 0 {
            return;
        }
        if reach > MANY {
            self.take_place().await;
        }
        for flag in environment.required_by(flags) {
            evaluator.settle(flag);
            self.end_if_due(evaluator.work()).await;
        }
    }
}
