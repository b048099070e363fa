//! Working space of evaluations.

/// Space that evaluations reuse, so that they need no allocation once it has grown. Belongs to one thread and serves
/// any number of environments.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Text to be hashed.
    pub(super) bytes: Vec<u8>,
    /// By flag position: the generation in which the flag was remembered, with the lowest bit saying whether it was
    /// met.
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

    /// Forgets the remembered prerequisites.
    pub(super) fn begin(&mut self) {
        self.generation += 2;
        // Old entries could be mistaken for new ones after a wrap-around.
        if self.generation > u32::MAX - 2 {
            self.memo.clear();
            self.generation = 2;
        }
    }

    /// Whether the prerequisite was met, if it was evaluated since [`Self::begin`].
    pub(super) fn recall(&self, position: u32) -> Option<bool> {
        let remembered = *self.memo.get(position as usize)?;
        (remembered & !1 == self.generation).then_some(remembered & 1 == 1)
    }

    /// Remembers the prerequisite at `position`, out of `positions`.
    pub(super) fn remember(&mut self, position: u32, met: bool, positions: usize) {
        if self.memo.len() < positions {
            self.memo.resize(positions, 0);
        }
        self.memo[position as usize] = self.generation | u32::from(met);
    }
}
