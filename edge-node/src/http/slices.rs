//! Work in slices, between which other requests have their turn, and for which the caller pays. Whatever takes more than a
//! slice goes on only with a permit, which organizations get in turn.

use protocol::{
    eval::{Evaluation, Evaluator, FlagIndex},
    ids::OrgId,
    snapshot::KeyHash,
};
use serving::{apart::apart, error::ApiError, rate::Decision};
use tokio::task::yield_now;

use super::Caller;
use crate::{
    Edge,
    current::Served,
    limits::{Full, Permit},
};

/// The work in a slice: about a thousand flags with a rule or two, or a tenth of a millisecond. With a permit, the last flag of a slice
/// may take it to some milliseconds.
pub(super) const SLICE: u64 = 256 << 10;
/// The most flags that evaluations go through without a permit.
pub(super) const MANY: u32 = 1_000;
/// The most work of one request, which is about half a second: several times that of an environment as large as the API
/// accepts, with an ordinary context.
const MOST: u64 = 1 << 30;

/// What a request does. To be kept until the answer is made.
pub(super) struct Slices<'c> {
    edge: &'c Edge,
    org_id: OrgId,
    hash: &'c KeyHash,
    rate: &'c mut Option<Decision>,
    /// Slices that the caller need not pay any more.
    paid: u64,
    /// The work in slices that have ended.
    done: u64,
    is_due: bool,
    /// Whether the last flag takes more than can be done at once.
    is_long: bool,
    permit: Option<Permit<OrgId>>,
}

/// Why a request gets no answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stopped {
    /// It takes more work than one request may.
    TooMuchWork,
    /// There is no permit for it.
    Busy(Full),
}

impl Stopped {
    pub(super) const TOO_MUCH_WORK: &'static str =
        "this takes too much work: ask for fewer flags, or send shorter attributes";
}

impl From<Full> for Stopped {
    fn from(full: Full) -> Self {
        Self::Busy(full)
    }
}

impl From<Stopped> for ApiError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::TooMuchWork => Self::bad_request(Stopped::TOO_MUCH_WORK),
            Stopped::Busy(full) => full.into(),
        }
    }
}

impl Caller {
    /// The environment, and the work on it that the caller pays for.
    pub(super) fn slices(&mut self) -> (&Served, Slices<'_>) {
        let slices = Slices {
            edge: &self.edge,
            org_id: self.environment.head().org_id,
            hash: &self.hash,
            rate: &mut self.rate,
            paid: 0,
            done: 0,
            is_due: false,
            is_long: false,
            permit: None,
        };
        (&self.environment, slices)
    }
}

impl<'c> Slices<'c> {
    pub(super) const fn edge(&self) -> &'c Edge {
        self.edge
    }

    /// So many slices cost nothing more: the caller paid in advance.
    pub(super) const fn are_paid(&mut self, slices: u64) {
        self.paid = slices;
    }

    /// Waits for a permit, unless there is one.
    pub(super) async fn take_permit(&mut self) -> Result<(), Stopped> {
        if self.permit.is_none() {
            self.permit = Some(self.edge.parts().large_answers.enter(self.org_id).await?);
        }
        Ok(())
    }

    /// Evaluates a flag and makes something of the answer, where nobody else has a turn first. That is nearly always;
    /// [`Self::later`] is for the others.
    #[inline]
    pub(super) fn at_once<'e, T>(
        &mut self,
        evaluator: &mut Evaluator<'e, '_>,
        flag: FlagIndex,
        then: impl FnOnce(&Evaluation<'e>) -> T,
    ) -> Option<T> {
        if self.is_due {
            return None;
        }
        let done = evaluator.evaluate_briefly(flag, then);
        self.is_long = done.is_none();
        if evaluator.work() - self.done >= SLICE {
            self.end_slices(evaluator.work());
        }
        done
    }

    /// What [`Self::at_once`] had no answer for.
    pub(super) async fn later<'e>(
        &mut self,
        evaluator: &mut Evaluator<'e, '_>,
        flag: FlagIndex,
    ) -> Result<Evaluation<'e>, Stopped> {
        Self::bound(evaluator.work())?;
        if !self.is_long {
            self.turn_if_due().await?;
            if let Some(evaluation) = self.at_once(evaluator, flag, |evaluation| *evaluation) {
                return Ok(evaluation);
            }
            Self::bound(evaluator.work())?;
        }
        self.turn().await?;
        let evaluation = apart(|| evaluator.evaluate(flag));
        self.is_long = false;
        self.count(evaluator.work())?;
        Ok(evaluation)
    }

    /// Settles what these flags require, each flag by itself: one may take some milliseconds, and all together any time.
    pub(super) async fn settle<F>(
        &mut self,
        environment: &Served,
        evaluator: &mut Evaluator<'_, '_>,
        flags: F,
    ) -> Result<(), Stopped>
    where
        F: IntoIterator<Item = FlagIndex> + Clone,
    {
        let reach = flags
            .clone()
            .into_iter()
            .map(|flag| environment.reach(flag))
            .fold(0, u32::saturating_add);
        if reach == 0 {
            return Ok(());
        }
        if reach > MANY {
            self.take_permit().await?;
        }
        self.settle_each(evaluator, environment.required_by(flags))
            .await
    }

    /// Settles these flags, which come after those that they require.
    pub(super) async fn settle_each(
        &mut self,
        evaluator: &mut Evaluator<'_, '_>,
        flags: impl IntoIterator<Item = FlagIndex>,
    ) -> Result<(), Stopped> {
        for flag in flags {
            self.turn_if_due().await?;
            let is_settled = evaluator.settle_briefly(flag);
            self.count(evaluator.work())?;
            if is_settled {
                continue;
            }
            self.turn().await?;
            apart(|| evaluator.settle(flag));
            self.count(evaluator.work())?;
        }
        Ok(())
    }

    /// Counts the work, of which a request may do so much.
    fn count(&mut self, work: u64) -> Result<(), Stopped> {
        self.end_slices(work);
        Self::bound(work)
    }

    /// Ends the slices that are full. They are paid at once: the client may leave before there is an answer.
    fn end_slices(&mut self, work: u64) {
        let slices = (work - self.done) / SLICE;
        if slices > 0 {
            self.done += slices * SLICE;
            self.is_due = true;
            let paid = slices.min(self.paid);
            self.paid -= paid;
            self.charge(slices - paid);
        }
    }

    const fn bound(work: u64) -> Result<(), Stopped> {
        if work > MOST {
            return Err(Stopped::TooMuchWork);
        }
        Ok(())
    }

    /// Takes one request from the caller's rate for each slice; what is left of the rate if that is less.
    fn charge(&mut self, slices: u64) {
        let mut more = u32::try_from(slices).unwrap_or(u32::MAX);
        while let Some(decision) = self.edge.charge(self.hash, more) {
            if decision.refusal().is_none() {
                *self.rate = Some(decision);
                return;
            }
            more = decision.remaining.min(more - 1);
        }
    }

    async fn turn_if_due(&mut self) -> Result<(), Stopped> {
        if self.is_due {
            self.turn().await?;
        }
        Ok(())
    }

    /// Lets others have their turn, and goes on with a permit.
    async fn turn(&mut self) -> Result<(), Stopped> {
        self.is_due = false;
        match self.permit.take() {
            Some(permit) => self.permit = Some(permit.pass().await?),
            None => self.take_permit().await?,
        }
        yield_now().await;
        Ok(())
    }
}
