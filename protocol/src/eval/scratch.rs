//! Working space of evaluations, and what they remember of each other.

use std::mem;

use crate::pattern::{Pattern, Threads};

/// The steps that an evaluation of one flag may take to test conditions, not counting what it requires. A step is a few
/// nanoseconds. They are counted by what is tested, so that the same question takes the same steps everywhere, whatever was
/// asked before.
const OF_FLAG: u64 = 300_000;
/// The steps that judging one segment may take. A flag that has few left still has a segment judged with all of these,
/// because the verdict is for every flag: so one evaluation does the work of both at most.
const OF_SEGMENT: u64 = 100_000;
/// The steps of both in an evaluation that gives up when it would take long.
const BRIEF: u64 = 16_384;
/// The work of a step, in the units of [`Evaluator::work`](super::Evaluator::work).
const STEP: u64 = 8;

/// Space that evaluations reuse, so that they need no allocation once it has grown. Belongs to one request at a time
/// and serves any number of environments.
///
/// What several flags depend on is remembered by position, until the next request begins. Entries carry the generation
/// in which they were made, so that forgetting them all costs one addition.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Work that was done. Of interest only to an [`Evaluator`](super::Evaluator), which counts from 0.
    pub(super) work: u64,
    /// The steps left for the flag or segment that is evaluated.
    left: u64,
    is_brief: bool,
    /// Whether the evaluation gave up, so that nothing it came to means anything.
    gave_up: bool,
    /// Those left for what only an explanation wants to see.
    left_aside: u64,
    is_aside: bool,
    /// The number of the last grant; 0 is none.
    grant: u32,
    threads: Threads,
    generation: u32,
    prerequisites: Vec<Verdict>,
    segments: Vec<Judged>,
    contests: Vec<Contest>,
}

/// A generation, with the lowest bit saying yes or no.
type Verdict = u32;

/// The verdict on a segment, and the steps that it took: each flag that mentions the segment is charged with them once.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    verdict: Verdict,
    steps: u32,
    /// The last grant that was charged.
    charged: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Contest {
    generation: u32,
    winner: u32,
}

impl Scratch {
    /// Empty space.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            work: 0,
            left: 0,
            is_brief: false,
            gave_up: false,
            left_aside: 0,
            is_aside: false,
            grant: 0,
            threads: Threads::new(),
            generation: 0,
            prerequisites: Vec::new(),
            segments: Vec::new(),
            contests: Vec::new(),
        }
    }

    /// Forgets what was remembered.
    pub(super) fn begin(&mut self) {
        self.generation += 2;
        // Old entries could be mistaken for new ones after a wrap-around.
        if self.generation > u32::MAX - 2 {
            self.prerequisites.clear();
            self.segments.clear();
            self.contests.clear();
            self.generation = 2;
        }
    }

    /// Allows the steps of one flag.
    pub(super) const fn grant(&mut self) {
        self.left = if self.is_brief { BRIEF } else { OF_FLAG };
        self.left_aside = OF_FLAG;
        self.grant = match self.grant {
            u32::MAX => 1,
            grant => grant + 1,
        };
    }

    /// What follows gives up when it would take many steps.
    pub(super) const fn begin_briefly(&mut self) {
        self.is_brief = true;
    }

    /// Whether it did not give up.
    pub(super) const fn end_briefly(&mut self) -> bool {
        self.is_brief = false;
        !mem::replace(&mut self.gave_up, false)
    }

    /// Takes steps. False when none are left.
    pub(super) const fn spend(&mut self, steps: u64) -> bool {
        self.work += STEP * steps;
        self.charge(steps)
    }

    /// Takes steps for work that is only done if there are as many. False when there are not, and then none are left.
    pub(super) const fn afford(&mut self, steps: u64) -> bool {
        if steps < self.left {
            return self.spend(steps);
        }
        self.left = 0;
        false
    }

    /// Takes steps for work that was done before.
    const fn charge(&mut self, steps: u64) -> bool {
        self.left = self.left.saturating_sub(steps);
        self.has_steps()
    }

    /// Whether any steps are left. If not, no verdict means anything.
    pub(super) const fn has_steps(&self) -> bool {
        self.left > 0
    }

    /// The flag has no steps left, and answers with an error, unless more can be granted.
    pub(super) const fn run_out(&mut self) {
        self.gave_up |= self.is_brief;
    }

    /// Does work that the answer does not come to. `None` when there are no steps left for such work, so that what it found
    /// means nothing.
    pub(super) fn aside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if mem::replace(&mut self.is_aside, true) {
            let done = work(self);
            return self.has_steps().then_some(done);
        }
        mem::swap(&mut self.left, &mut self.left_aside);
        let done = work(self);
        let is_done = self.has_steps();
        mem::swap(&mut self.left, &mut self.left_aside);
        self.is_aside = false;
        is_done.then_some(done)
    }

    /// Whether the pattern matches the text.
    pub(super) fn matches(&mut self, pattern: &Pattern, text: &str) -> bool {
        let before = self.left;
        let matched = pattern.matches(text, &mut self.threads, &mut self.left);
        self.work += STEP * (before - self.left);
        matched
    }

    /// Judges a segment with steps of its own, and takes from those of the flag what it needed: all of them if its own did
    /// not suffice.
    pub(super) fn judge(
        &mut self,
        position: u32,
        positions: usize,
        judge: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        let granted = if self.is_brief { BRIEF } else { OF_SEGMENT };
        let of_flag = mem::replace(&mut self.left, granted);
        let matches = judge(self) && self.has_steps();
        if self.is_brief && !self.has_steps() {
            return false;
        }
        let steps = match mem::replace(&mut self.left, of_flag) {
            0 => OF_FLAG,
            left => granted - left,
        };
        *place(&mut self.segments, position, positions) = Judged {
            verdict: self.generation | u32::from(matches),
            steps: u32::try_from(steps).unwrap_or(u32::MAX),
            charged: if self.is_aside { 0 } else { self.grant },
        };
        self.charge(steps) && matches
    }

    /// Whether the flag at `position` is met as a prerequisite, if that is known.
    pub(super) fn prerequisite(&self, position: u32) -> Option<bool> {
        recall(*self.prerequisites.get(position as usize)?, self.generation)
    }

    /// Remembers the prerequisite at `position`, out of `positions`, unless nobody knows.
    pub(super) fn remember_prerequisite(&mut self, position: u32, met: bool, positions: usize) {
        if self.gave_up {
            return;
        }
        let known = &mut self.prerequisites;
        *place(known, position, positions) = self.generation | u32::from(met);
    }

    /// Whether the segment at `position` matches, if that is known. Takes the steps that it took to find out, unless the
    /// flag was charged with them before.
    pub(super) fn segment(&mut self, position: u32) -> Option<bool> {
        let (grant, is_aside) = (self.grant, self.is_aside);
        let judged = self.segments.get_mut(position as usize)?;
        let matches = recall(judged.verdict, self.generation)?;
        if is_aside || judged.charged == grant {
            return Some(matches);
        }
        judged.charged = grant;
        let steps = judged.steps.into();
        Some(self.charge(steps) && matches)
    }

    /// The flag that wins the contest at `position`, if that is known.
    pub(super) fn winner(&self, position: u32) -> Option<u32> {
        let contest = self.contests.get(position as usize)?;
        (contest.generation == self.generation).then_some(contest.winner)
    }

    /// Remembers who wins the contest at `position`, out of `positions`.
    pub(super) fn remember_winner(&mut self, position: u32, winner: u32, positions: usize) {
        *place(&mut self.contests, position, positions) = Contest {
            generation: self.generation,
            winner,
        };
    }
}

const fn recall(verdict: Verdict, generation: u32) -> Option<bool> {
    if verdict & !1 == generation {
        Some(verdict & 1 == 1)
    } else {
        None
    }
}

fn place<T: Clone + Default>(known: &mut Vec<T>, position: u32, positions: usize) -> &mut T {
    if known.len() < positions {
        known.resize(positions, T::default());
    }
    &mut known[position as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_remembered_is_forgotten_at_the_next_beginning() {
        let mut scratch = Scratch::new();
        scratch.begin();
        scratch.remember_prerequisite(2, true, 3);
        scratch.grant();
        scratch.judge(1, 3, |_| false);
        scratch.remember_winner(0, 7, 1);
        let known = |scratch: &mut Scratch| {
            (
                scratch.prerequisite(2),
                scratch.segment(1),
                scratch.winner(0),
            )
        };
        assert_eq!(known(&mut scratch), (Some(true), Some(false), Some(7)));
        assert_eq!((scratch.prerequisite(1), scratch.segment(9)), (None, None));

        scratch.begin();
        assert_eq!(known(&mut scratch), (None, None, None));
    }

    #[test]
    fn a_remembered_segment_takes_the_steps_that_it_took_from_each_flag_once() {
        let mut scratch = Scratch::new();
        scratch.begin();
        let spent = |scratch: &Scratch| OF_FLAG - scratch.left;
        scratch.grant();
        assert!(scratch.judge(0, 1, |scratch| scratch.spend(7)));
        assert_eq!(spent(&scratch), 7);
        let work = scratch.work;
        assert_eq!(scratch.segment(0), Some(true));
        assert_eq!(spent(&scratch), 7);
        scratch.grant();
        for _ in 0..2 {
            assert_eq!(scratch.segment(0), Some(true));
            assert_eq!((spent(&scratch), scratch.work), (7, work));
        }
        // What only an explanation looks at takes nothing, and does not count as charged.
        scratch.grant();
        assert_eq!(
            scratch.aside(|scratch| scratch.segment(0)),
            Some(Some(true))
        );
        assert_eq!(spent(&scratch), 0);
        assert_eq!(scratch.segment(0), Some(true));
        assert_eq!(spent(&scratch), 7);

        // One that runs out leaves none for the flag either.
        scratch.begin();
        scratch.grant();
        assert!(!scratch.judge(0, 1, |scratch| !scratch.spend(u64::from(u32::MAX))));
        assert!(!scratch.has_steps());
        scratch.grant();
        assert_eq!(scratch.segment(0), Some(false));
        assert!(!scratch.has_steps());
    }

    #[test]
    fn nothing_is_recalled_from_before_the_generations_ran_out() {
        let mut scratch = Scratch::new();
        scratch.begin();
        scratch.remember_prerequisite(0, true, 1);
        scratch.grant();
        scratch.judge(0, 1, |_| true);
        scratch.remember_winner(0, 0, 1);

        scratch.generation = u32::MAX - 3;
        scratch.begin();
        assert_eq!(scratch.generation, 2);
        assert_eq!(scratch.prerequisite(0), None);
        assert_eq!(scratch.segment(0), None);
        assert_eq!(scratch.winner(0), None);
    }
}
