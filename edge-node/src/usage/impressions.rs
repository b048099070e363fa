//! Impressions since the last collection, in order of receipt. Bounded: the oldest are dropped, and counted.

use std::{collections::VecDeque, mem};

use protocol::wire::usage::Impression;

/// Impressions kept: as many as an organization may have altogether.
const LIMIT: usize = 100_000;
/// Bytes of their texts.
const TEXT: usize = 32 << 20;

/// The newest impressions.
#[derive(Debug, Default)]
pub(super) struct Impressions {
    kept: VecDeque<Impression>,
    text: usize,
    dropped: u64,
}

impl Impressions {
    pub(super) fn add(&mut self, impression: Impression) {
        self.text += text(&impression);
        self.kept.push_back(impression);
        while self.kept.len() > LIMIT || self.text > TEXT {
            let Some(oldest) = self.kept.pop_front() else {
                return;
            };
            self.text -= text(&oldest);
            self.dropped += 1;
        }
    }

    /// Takes everything, oldest first, and the number dropped so far.
    pub(super) fn take(&mut self) -> (VecDeque<Impression>, u64) {
        let taken = mem::take(self);
        (taken.kept, taken.dropped)
    }
}

/// Bytes of the texts of an impression.
pub(super) fn text(impression: &Impression) -> usize {
    impression.flag_key.len() + impression.variant_key.len() + impression.user_key.len()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn impression(number: usize, user_key: String) -> Impression {
        Impression {
            env_id: Uuid::nil().into(),
            flag_key: "flag".to_owned(),
            variant_key: String::new(),
            user_key,
            at_ms: i64::try_from(number).unwrap(),
        }
    }

    #[test]
    fn the_oldest_are_dropped_one_by_one() {
        let mut impressions = Impressions::default();
        for number in 0..LIMIT + 3 {
            impressions.add(impression(number, String::new()));
        }
        let (kept, dropped) = impressions.take();
        assert_eq!((kept.len(), dropped), (LIMIT, 3));
        assert_eq!(kept[0].at_ms, 3);
        assert_eq!(impressions.take().1, 0, "drops are reported once");
    }

    #[test]
    fn long_texts_are_bounded_by_their_bytes() {
        let mut impressions = Impressions::default();
        for number in 0..40 {
            impressions.add(impression(number, "u".repeat(1 << 20)));
        }
        let (kept, dropped) = impressions.take();
        assert_eq!((kept.len(), dropped), (31, 9));
    }
}
