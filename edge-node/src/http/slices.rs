//! Work in slices, between which other requests have their turn.

use protocol::eval::{Evaluator, FlagIndex};
use tokio::task::yield_now;

use crate::{Edge, current::Served, places::Place};

/// The work in a slice: about five hundred plain flags, or a tenth of a millisecond.
pub(super) const SLICE: u64 = 256 << 10;
/// The most flags that evaluations go through in one slice.
const MANY: u32 = 500;

/// Where a slice ends.
#[derive(Debug, Default)]
pub(super) struct Slices {
    done: u64,
}

impl Slices {
    pub(super) async fn end_if_due(&mut self, work: u64) {
        if work - self.done >= SLICE {
            self.done = work;
            yield_now().await;
        }
    }
}

/// Settles in slices what these flags require, if that may be much; otherwise evaluations do as they go. The place is
/// to be held until the answer is made.
pub(super) async fn settle<F>(
    edge: &Edge,
    environment: &Served,
    evaluator: &mut Evaluator<'_, '_>,
    flags: F,
) -> Option<Place>
where
    F: IntoIterator<Item = FlagIndex> + Clone,
{
    let reach = flags
        .clone()
        .into_iter()
        .map(|flag| environment.reach(flag));
    if reach.fold(0, u32::saturating_add) <= MANY {
        return None;
    }
    let place = edge.parts().places.enter(environment.head().org_id).await;
    let mut slices = Slices::default();
    for flag in environment.required_by(flags) {
        evaluator.settle(flag);
        slices.end_if_due(evaluator.work()).await;
    }
    Some(place)
}
