//! Answers about every flag of an environment, whatever their form: what they cost the caller, and how other requests
//! have their turn meanwhile.

use axum::response::Response;
use protocol::eval::{Context, Evaluation, Evaluator, FlagIndex};

use super::{
    Caller, answer,
    slices::{SLICE, Slices},
};
use crate::{Edge, current::Served, places::Place};

/// So many flags cost as much as one evaluation, which is also how many a bulk request may name.
const FLAGS_PER_UNIT: usize = 100;

/// The right to answer about every flag.
#[derive(Debug)]
pub(super) struct Whole {
    /// Present if the answer is a large one, and held until it is made.
    place: Option<Place>,
}

impl Whole {
    /// Takes what the answer costs from the caller's rate, or refuses it. An environment that is more than a slice
    /// waits for its place among the large answers.
    pub(super) async fn begin(edge: &Edge, caller: &mut Caller) -> Result<Self, Response> {
        let flags = caller.environment.len();
        caller.charge(edge, flags.div_ceil(FLAGS_PER_UNIT));
        if let Some(refusal) = caller.over_rate() {
            return Err(refusal);
        }
        if caller.environment.bytes <= SLICE {
            return Ok(Self { place: None });
        }
        let org_id = caller.environment.head().org_id;
        let place = edge.parts().places.enter(org_id).await;
        Ok(Self { place: Some(place) })
    }

    /// Evaluates and counts every flag, in key order.
    pub(super) async fn each<'e>(
        &self,
        environment: &'e Served,
        context: &Context<'_>,
        mut write: impl FnMut(FlagIndex, &Evaluation<'e>),
    ) {
        let mut scratch = answer::take_scratch();
        let mut evaluator = Evaluator::new(environment, context, &mut scratch);
        let mut slices = Slices::default();
        // Otherwise the first flag could take the work of all that it requires in one slice.
        if self.place.is_some() {
            for flag in environment.required() {
                evaluator.settle(flag);
                slices.end_if_due(evaluator.work()).await;
            }
        }
        for (flag, _) in environment.flags() {
            let evaluation = evaluator.evaluate(flag);
            environment.count(flag, evaluation.reason);
            write(flag, &evaluation);
            slices.end_if_due(evaluator.work()).await;
        }
        answer::return_scratch(scratch);
    }
}

impl Caller {
    /// Counts a request as `units` of its rate, one of which it was counted as when it arrived.
    fn charge(&mut self, edge: &Edge, units: usize) {
        let more = u32::try_from(units).unwrap_or(u32::MAX).saturating_sub(1);
        if let Some(decision) = edge.parts().rate.check_more(&self.hash, more) {
            self.rate = Some(decision);
        }
    }
}
