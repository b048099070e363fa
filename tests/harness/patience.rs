//! Waiting for what happens elsewhere: in another process, or in a background task.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How long anything may take before a test gives up; `HALYARD_TEST_PATIENCE` in seconds, for slow machines.
#[must_use]
pub fn patience() -> Duration {
    let seconds = std::env::var("HALYARD_TEST_PATIENCE")
        .ok()
        .and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(30))
}

/// Asks `probe` again and again until it gives something, and returns that.
///
/// # Panics
/// When patience runs out; `what` completes the sentence "waited in vain until …".
#[track_caller]
pub fn eventually<T, F>(what: &str, mut probe: impl FnMut() -> F) -> impl Future<Output = T>
where
    F: Future<Output = Option<T>>,
{
    let caller = std::panic::Location::caller();
    async move {
        let deadline = Instant::now() + patience();
        let mut pause = Duration::from_millis(5);
        loop {
            if let Some(found) = probe().await {
                return found;
            }
            assert!(
                Instant::now() < deadline,
                "{caller}: waited in vain until {what}"
            );
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }
}
