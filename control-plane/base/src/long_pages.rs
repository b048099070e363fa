//! Places for pages that take long to find: those far back in a long list, those that several filters pick out of one, and those
//! for which everything is counted.

use std::time::Duration;

use serving::error::ApiError;

use crate::{
    ids::OrgId,
    refusal::Refusal,
    shares::{Full, Place, Queue, Shares},
};

/// Offsets up to this one take some 20 ms. Ten million entries take two seconds.
pub const FAR: i64 = 100_000;
/// How many are made at a time; one for each organization.
const AT_A_TIME: usize = 3;
const QUEUE: Queue = Queue {
    // A page of a dashboard that shows each environment's numbers.
    each: 32,
    all: 256,
    patience: Duration::from_secs(10),
};
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Places that organizations share. Cheap to clone.
#[derive(Clone, Debug)]
pub struct LongPages(Shares);

impl Default for LongPages {
    fn default() -> Self {
        Self(Shares::with_queue(AT_A_TIME, 1, QUEUE))
    }
}

impl LongPages {
    /// A place, as soon as it is the organization's turn. Hold no connection meanwhile.
    ///
    /// # Errors
    /// When too many wait already, or there is none in time.
    pub async fn enter(&self, org_id: OrgId) -> Result<Place, ApiError> {
        let place = self.0.enter(org_id).await;
        place.map_err(|full| {
            let refusal = match full {
                Full::Share => Refusal::TooMany {
                    words: "too many pages of long lists are requested at once; they are made one at a time",
                    retry_after: RETRY_AFTER,
                },
                Full::All => Refusal::Unavailable {
                    words: "too many organizations request pages of long lists",
                    retry_after: Some(RETRY_AFTER),
                },
            };
            refusal.into()
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, future::join_all};
    use time::OffsetDateTime;

    use super::*;

    fn org() -> OrgId {
        OrgId::new(OffsetDateTime::UNIX_EPOCH)
    }

    #[tokio::test]
    async fn long_pages_take_turns() {
        let pages = LongPages::default();
        let [first, second, third, other] = [(); 4].map(|()| org());
        let mut held = join_all([first, second, third].map(|org_id| pages.enter(org_id))).await;
        // The first asks for more before the other one comes.
        let mut again = Box::pin(pages.enter(first));
        assert!((&mut again).now_or_never().is_none());
        let mut waits = Box::pin(pages.enter(other));
        assert!((&mut waits).now_or_never().is_none());
        drop(held.pop());
        let place = waits.now_or_never().expect("its turn");
        assert!((&mut again).now_or_never().is_none());
        drop((held, place));
        assert!(again.now_or_never().expect("its turn").is_ok());
    }

    #[tokio::test]
    async fn an_organization_has_a_bounded_queue_for_long_pages() {
        let pages = LongPages::default();
        let org_id = org();
        let _held = pages.enter(org_id).await.unwrap();
        let mut waiting: Vec<_> = (0..QUEUE.each)
            .map(|_| Box::pin(pages.enter(org_id)))
            .collect();
        for waits in &mut waiting {
            assert!(waits.now_or_never().is_none());
        }
        let refused = pages.enter(org_id).await.unwrap_err();
        assert_eq!(refused.status().as_u16(), 429);
    }
}
