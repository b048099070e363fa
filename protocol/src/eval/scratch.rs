//! Working space of evaluations.

/// Space that evaluations reuse, so that they need no allocation of their own once it has grown. Belongs to one thread
/// and serves any number of environments.
#[derive(Debug, Default)]
pub struct Scratch {
    /// For text to be hashed.
    pub(super) bytes: Vec<u8>,
    /// By position of a flag: the generation in which it was remembered, and in the lowest bit whether it was met.
    memo: Vec<u32>,
    generation: u32,
}

impl Scratch {
    /// Empty space.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            memo: Vec::new(),
            generation: 0,
        }
    }

    /// Forgets what was remembered of prerequisites.
    pub(super) fn begin(&mut self) {
        self.generation += 2;
        if self.generation > u32::MAX - 2 {
            self.memo.clear();
            self.generation = 2;
        }
    }

    /// Whether the prerequisite was met, if it was evaluated since the beginning.
    pub(super) fn recall(&self, position: u32) -> Option<bool> {
        let remembered = *self.memo.get(position as usize)?;
        (remembered & !1 == self.generation).then_some(remembered & 1 == 1)
    }

    /// Remembers the prerequisite at `position`, one of `positions`.
    pub(super) fn remember(&mut self, position: u32, met: bool, positions: usize) {
        if self.memo.len() < positions {
            self.memo.resize(positions, 0);
        }
        self.memo[position as usize] = self.generation | u32::from(met);
    }
}
