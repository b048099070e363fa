//! Answers about every flag of an environment, whatever their form: what they cost the caller, and how other requests
//! have their turn meanwhile.

use axum::response::Response;
use protocol::eval::{Context, Evaluation, Evaluator, FlagIndex};

use super::{
    Caller, answer,
    slices::{SLICE, Slices},
};
use crate::{Edge, current::Served};

/// So many flags cost as much as one evaluation, which is also how many a bulk request may name.
const FLAGS_PER_UNIT: usize = 100;

/// The right to answer about every flag.
pub(super) struct Whole<'e> {
    slices: Slices<'e>,
}

impl<'e> Whole<'e> {
    /// Takes what the answer costs from the caller's rate, or refuses it. An environment that is more than a slice
    /// waits for its place among the large answers.
    pub(super) async fn begin(edge: &'e Edge, caller: &mut Caller) -> Result<Self, Response> {
        let flags = caller.environment.len();
        caller.charge(edge, flags.div_ceil(FLAGS_PER_UNIT));
        if let Some(refusal) = caller.over_rate() {
            return Err(refusal);
        }
        let mut slices = Slices::new(edge, caller.environment.head().org_id);
        if caller.environment.bytes > SLICE {
            slices.take_place().await;
        }
        Ok(Self { slices })
    }

    /// Evaluates and counts every flag, in key order.
    pub(super) async fn each<'s>(
        &mut self,
        environment: &'s Served,
        context: &Context<'_>,
        mut write: impl FnMut(FlagIndex, &Evaluation<'s>),
    ) {
        let mut scratch = answer::take_scratch();
        let mut evaluator = Evaluator::new(environment, context, &mut scratch);
        let slices = &mut self.slices;
        // Otherwise the first flag could take the work of all that it requires in one slice.
        for flag in environment.required() {
            evaluator.settle(flag);
            slices.end_if_due(evaluator.work()).await;
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
    /// Counts a request by the work that it took as well: as one more for each slice. What is left of the rate is taken
    /// even if that is less.
    pub(super) fn charge_work(&mut self, edge: &Edge, work: u64) {
        let mut more = u32::try_from(work / SLICE).unwrap_or(u32::MAX);
        while let Some(decision) = edge.parts().rate.check_more(&self.hash, more) {
            if decision.refusal().is_none() {
                self.rate = Some(decision);
                return;
            }
            more = decision.remaining.min(more - 1);
        }
    }

    /// Counts a request as `units` of its rate, one of which it was counted as when it arrived.
    fn charge(&mut self, edge: &Edge, units: usize) {
        let more = u32::try_from(units).unwrap_or(u32::MAX).saturating_sub(1);
        if let Some(decision) = edge.parts().rate.check_more(&self.hash, more) {
            self.rate = Some(decision);
        }
    }
}
