//! Runs long computations off the runtime's threads, which answer requests and are few.

use std::{future::pending, panic::resume_unwind};

/// Runs work that may block or compute for long, off the runtime's threads. Panics propagate to the caller.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime ends, and whoever waits ends with it.
            Err(_cancelled) => pending().await,
        },
    }
}
