//! Computing where it holds nobody up: the threads of the runtime answer requests, and are few.

use std::panic::resume_unwind;

/// Does the work on a thread that may be busy for long. A panic of the work is the caller's.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => resume_unwind(error.into_panic()),
    }
}
