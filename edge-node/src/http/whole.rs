//! Answers about every flag of an environment, whatever their form: what they cost the caller, and how other requests
//! have their turn meanwhile.

use axum::response::{IntoResponse, Response};
use protocol::eval::{Context, Evaluation, Evaluator, FlagIndex};
use serving::error::ApiError;

use super::{
    Caller, answer,
    request::MAX_FLAG_KEYS,
    slices::{MANY, Slices, Stopped},
};
use crate::{current::Served, what_if::AskedFor};

/// The right to answer about every flag.
pub(super) struct Whole<'c> {
    pub(super) environment: &'c Served,
    slices: Slices<'c>,
}

impl<'c> Whole<'c> {
    /// Takes what the answer costs from the caller's rate, or refuses it. An environment of many flags waits for its
    /// permit before anything is made. The flags pay for that much work; rules that take more cost more.
    pub(super) async fn begin(caller: &'c mut Caller) -> Result<Self, Response> {
        // As many flags as a bulk request may name cost as much as one evaluation.
        let units = caller.environment.len().div_ceil(MAX_FLAG_KEYS);
        caller.charge(units);
        if let Some(refusal) = caller.over_rate() {
            return Err(refusal);
        }
        let (environment, mut slices) = caller.slices();
        slices.are_paid(units.saturating_sub(1) as u64);
        if environment.len() > MANY as usize {
            let taken = slices.take_permit().await;
            taken.map_err(|stopped| ApiError::from(stopped).into_response())?;
        }
        Ok(Self {
            environment,
            slices,
        })
    }

    /// Evaluates and counts every flag, in key order.
    pub(super) async fn each(
        mut self,
        context: &Context<'_>,
        mut write: impl FnMut(FlagIndex, &Evaluation<'c>),
    ) -> Result<(), Stopped> {
        let environment = self.environment;
        let mut scratch = answer::take_scratch();
        let mut evaluator = Evaluator::new(environment, context, &mut scratch);
        // Otherwise the first flag could take the work of all that it requires in one slice.
        let required = environment.required();
        self.slices.settle_each(&mut evaluator, required).await?;
        let mut flags = environment.positions();
        let mut ahead = environment.positions().skip(2);
        loop {
            let later = {
                let counting = environment.counting();
                flags.find(|&flag| {
                    if let Some(flag) = ahead.next() {
                        evaluator.approach(flag);
                    }
                    let then = |evaluation: &Evaluation<'c>| {
                        counting.add(flag, evaluation.answer);
                        write(flag, evaluation);
                    };
                    self.slices.at_once(&mut evaluator, flag, then).is_none()
                })
            };
            let Some(flag) = later else {
                break;
            };
            let evaluation = self.slices.later(&mut evaluator, flag).await?;
            environment.count(flag, &evaluation);
            write(flag, &evaluation);
        }
        answer::return_scratch(scratch);
        let edge = self.slices.edge();
        edge.answered(environment, AskedFor::All, context);
        Ok(())
    }
}

impl Caller {
    /// Counts a request as `units` of its rate, one of which it was counted as when it arrived.
    pub(super) fn charge(&mut self, units: usize) {
        let more = u32::try_from(units).unwrap_or(u32::MAX).saturating_sub(1);
        if let Some(decision) = self.edge.charge(&self.hash, more) {
            self.rate = Some(decision);
        }
    }
}
