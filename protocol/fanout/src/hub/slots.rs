//! A set of environments by their numbers in the listing: a bit each.
//!
//! A thousand edges that start together would otherwise need a thousand queues of all environments.

/// A set of slots of the listing.
#[derive(Debug, Default)]
pub(super) struct Slots {
    words: Vec<u64>,
    count: usize,
    /// No word before this one has a bit.
    first: usize,
}

impl Slots {
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn contains(&self, slot: u32) -> bool {
        let (word, bit) = place(slot);
        self.words.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Returns whether it is new.
    pub(super) fn insert(&mut self, slot: u32) -> bool {
        let (word, bit) = place(slot);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.count += usize::from(is_new);
        self.first = self.first.min(word);
        is_new
    }

    /// Returns whether it was there.
    pub(super) fn remove(&mut self, slot: u32) -> bool {
        if !self.contains(slot) {
            return false;
        }
        let (word, bit) = place(slot);
        self.words[word] &= !bit;
        self.count -= 1;
        if self.count == 0 {
            *self = Self::default();
        }
        true
    }

    /// All of them, in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(word, bits)| {
            let set = (0..64).filter(move |bit| bits & (1 << bit) != 0);
            set.filter_map(move |bit| u32::try_from(word * 64 + bit).ok())
        })
    }

    /// Takes the lowest.
    pub(super) fn pop(&mut self) -> Option<u32> {
        let rest = self.words.get(self.first..)?;
        self.first += rest.iter().position(|bits| *bits != 0)?;
        let slot = self.first * 64 + self.words[self.first].trailing_zeros() as usize;
        let slot = u32::try_from(slot).expect("slots are 32 bits wide");
        self.remove(slot);
        Some(slot)
    }
}

const fn place(slot: u32) -> (usize, u64) {
    ((slot / 64) as usize, 1 << (slot % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_taken_once_from_the_lowest_on() {
        let mut slots = Slots::default();
        assert_eq!(slots.pop(), None);
        for slot in [700, 3, 64, 63, 3] {
            slots.insert(slot);
        }
        assert!(slots.contains(64) && !slots.contains(65) && !slots.contains(100_000));
        assert_eq!(slots.pop(), Some(3));
        assert!(slots.remove(64) && !slots.remove(64));
        assert!(slots.insert(5) && !slots.insert(5));
        assert_eq!(slots.pop(), Some(5), "lower than what was taken last");
        assert_eq!((slots.pop(), slots.pop()), (Some(63), Some(700)));
        assert!(slots.is_empty());
        assert_eq!(slots.pop(), None);
    }
}
