//! Impressions since the last collection, those of each organization in order of receipt. Bounded: beyond the bound the
//! organization with the most loses its oldest, which are counted.

use std::{
    collections::{HashMap, VecDeque},
    mem,
};

use protocol::{ids::OrgId, wire::usage::Impression};

/// Impressions kept: as many as an organization may have altogether.
const LIMIT: usize = 100_000;
/// Bytes of their texts.
const TEXT: usize = 32 << 20;

/// The newest impressions.
#[derive(Debug, Default)]
pub(super) struct Impressions {
    of: HashMap<OrgId, Pile>,
    kept: usize,
    text: usize,
    dropped: u64,
}

/// The impressions of one organization.
#[derive(Debug, Default)]
struct Pile {
    kept: VecDeque<Impression>,
    text: usize,
}

impl Impressions {
    pub(super) fn add(&mut self, org_id: OrgId, impression: Impression) {
        let bytes = text(&impression);
        self.kept += 1;
        self.text += bytes;
        let pile = self.of.entry(org_id).or_default();
        pile.text += bytes;
        pile.kept.push_back(impression);
        while self.kept > LIMIT || self.text > TEXT {
            self.drop_one();
        }
    }

    fn drop_one(&mut self) {
        let greatest = self.of.values_mut().max_by_key(|pile| pile.bytes());
        let oldest = greatest.and_then(|pile| {
            let oldest = pile.kept.pop_front()?;
            pile.text -= text(&oldest);
            Some(oldest)
        });
        let oldest = oldest.expect("there is one as long as the bound is exceeded");
        self.kept -= 1;
        self.text -= text(&oldest);
        self.dropped += 1;
    }

    /// Takes everything, and the number dropped so far.
    pub(super) fn take(&mut self) -> (impl Iterator<Item = Impression> + use<>, u64) {
        let taken = mem::take(self);
        let piles = taken.of.into_values();
        (piles.flat_map(|pile| pile.kept), taken.dropped)
    }
}

impl Pile {
    fn bytes(&self) -> usize {
        self.text + self.kept.len() * size_of::<Impression>()
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

    fn org(number: u128) -> OrgId {
        Uuid::from_u128(number).into()
    }

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
            impressions.add(org(1), impression(number, String::new()));
        }
        let (mut kept, dropped) = impressions.take();
        assert_eq!(kept.next().map(|oldest| oldest.at_ms), Some(3));
        assert_eq!((kept.count(), dropped), (LIMIT - 1, 3));
        assert_eq!(impressions.take().1, 0, "drops are reported once");
    }

    #[test]
    fn long_texts_are_bounded_by_their_bytes() {
        let mut impressions = Impressions::default();
        for number in 0..40 {
            impressions.add(org(1), impression(number, "u".repeat(1 << 20)));
        }
        let (kept, dropped) = impressions.take();
        assert_eq!((kept.count(), dropped), (31, 9));
    }

    #[test]
    fn an_organization_with_many_loses_none_of_another() {
        let mut impressions = Impressions::default();
        for number in 0..50 {
            impressions.add(org(1), impression(number, "first".to_owned()));
        }
        for number in 0..LIMIT {
            impressions.add(org(2), impression(number, "second".to_owned()));
        }
        for number in 0..40 {
            impressions.add(org(2), impression(number, "u".repeat(1 << 20)));
        }
        let (kept, dropped) = impressions.take();
        assert_eq!(kept.filter(|kept| kept.user_key == "first").count(), 50);
        assert!(dropped > 50, "{dropped}");
    }
}
