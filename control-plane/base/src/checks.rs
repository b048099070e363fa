//! Places for checking rules. To check one, its regular expressions are compiled, which may take a tenth of a second for one body:
//! no organization has all processors for it.

use std::{num::NonZero, thread::available_parallelism, time::Duration};

use crate::{
    blocking::blocking,
    ids::OrgId,
    refusal::Refusal,
    shares::{Full, Queue, Shares},
};

/// A tool that applies a file sends some at once.
const QUEUE: Queue = Queue {
    each: 32,
    all: 256,
    patience: Duration::from_secs(5),
};
/// When to try again.
const PAUSE: Duration = Duration::from_secs(1);

/// Places for checking what organizations send.
#[derive(Clone, Debug)]
pub struct Checks(Shares);

impl Default for Checks {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, NonZero::get).max(2);
        Self(Shares::with_queue(processors, processors / 2, QUEUE))
    }
}

impl Checks {
    /// Does the work for an organization, on a thread that may be busy for long.
    ///
    /// # Errors
    /// When too many wait.
    pub async fn run<T: Send + 'static>(
        &self,
        org_id: OrgId,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let place = self.0.enter(org_id).await.map_err(refuse)?;
        Ok(blocking(move || {
            // Work that nobody waits for any more still counts until it ends.
            let _place = place;
            work()
        })
        .await)
    }
}

fn refuse(full: Full) -> Refusal {
    match full {
        Full::Share => Refusal::TooMany {
            words: "too many changes at once",
            retry_after: PAUSE,
        },
        Full::All => Refusal::Unavailable {
            words: "too many changes are being checked, please try again",
            retry_after: Some(PAUSE),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use time::OffsetDateTime;

    use super::*;

    #[tokio::test]
    async fn one_organization_leaves_places_to_others_also_after_it_hung_up() {
        let checks = Checks::default();
        let (slow, other) = (
            OrgId::new(OffsetDateTime::UNIX_EPOCH),
            OrgId::new(OffsetDateTime::UNIX_EPOCH),
        );
        let (release, held) = mpsc::channel::<()>();
        let held = std::sync::Arc::new(std::sync::Mutex::new(held));
        for _ in 0..64 {
            let (checks, held) = (checks.clone(), held.clone());
            let waiting = tokio::spawn(async move {
                checks
                    .run(slow, move || {
                        held.lock().map(|held| held.recv().is_ok()).is_ok()
                    })
                    .await
            });
            tokio::task::yield_now().await;
            waiting.abort();
        }
        assert_eq!(checks.run(other, || 7).await.unwrap(), 7);
        // What was begun still counts, though nobody waits for it.
        assert!(checks.0.try_take(slow).is_err());
        drop(release);
    }
}
