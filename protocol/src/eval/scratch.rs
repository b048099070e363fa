//! Working space of evaluations, and what they remember of each other.

/// Space that evaluations reuse, so that they need no allocation once it has grown. Belongs to one request at a time
/// and serves any number of environments.
///
/// What several flags depend on is remembered by position, until the next request begins. Entries carry the generation
/// in which they were made, so that forgetting them all costs one addition.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Text to be hashed.
    pub(super) bytes: Vec<u8>,
    /// Bytes of prepared items that were gone through, as `weight` estimates them. Of interest only to an
    /// [`Evaluator`](super::Evaluator), which counts from 0.
    pub(super) work: u64,
    generation: u32,
    prerequisites: Vec<Verdict>,
    segments: Vec<Verdict>,
    contests: Vec<Contest>,
}

/// A generation, with the lowest bit saying yes or no.
type Verdict = u32;

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
            bytes: Vec::new(),
            work: 0,
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

    /// Whether the flag at `position` is met as a prerequisite, if that is known.
    pub(super) fn prerequisite(&self, position: u32) -> Option<bool> {
        recall(&self.prerequisites, self.generation, position)
    }

    /// Remembers the prerequisite at `position`, out of `positions`.
    pub(super) fn remember_prerequisite(&mut self, position: u32, met: bool, positions: usize) {
        let known = &mut self.prerequisites;
        *place(known, position, positions) = self.generation | u32::from(met);
    }

    /// Whether the segment at `position` matches, if that is known.
    pub(super) fn segment(&self, position: u32) -> Option<bool> {
        recall(&self.segments, self.generation, position)
    }

    /// Remembers the segment at `position`, out of `positions`.
    pub(super) fn remember_segment(&mut self, position: u32, matches: bool, positions: usize) {
        let known = &mut self.segments;
        *place(known, position, positions) = self.generation | u32::from(matches);
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

fn recall(known: &[Verdict], generation: u32, position: u32) -> Option<bool> {
    let verdict = *known.get(position as usize)?;
    (verdict & !1 == generation).then_some(verdict & 1 == 1)
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
        scratch.remember_segment(1, false, 3);
        scratch.remember_winner(0, 7, 1);
        let known = |scratch: &Scratch| {
            (
                scratch.prerequisite(2),
                scratch.segment(1),
                scratch.winner(0),
            )
        };
        assert_eq!(known(&scratch), (Some(true), Some(false), Some(7)));
        assert_eq!((scratch.prerequisite(1), scratch.segment(9)), (None, None));

        scratch.begin();
        assert_eq!(known(&scratch), (None, None, None));
    }

    #[test]
    fn nothing_is_recalled_from_before_the_generations_ran_out() {
        let mut scratch = Scratch::new();
        scratch.begin();
        scratch.remember_prerequisite(0, true, 1);
        scratch.remember_segment(0, true, 1);
        scratch.remember_winner(0, 0, 1);

        scratch.generation = u32::MAX - 3;
        scratch.begin();
        assert_eq!(scratch.generation, 2);
        assert_eq!(scratch.prerequisite(0), None);
        assert_eq!(scratch.segment(0), None);
        assert_eq!(scratch.winner(0), None);
    }
}
