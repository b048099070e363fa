//! When the parts of a process end.

use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Shutdown of a process. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Lifetime {
    /// Ends requests and jobs.
    pub stop: CancellationToken,
    /// Stops storing usage: after `stop`, so that the counts of the last requests are stored.
    pub stop_counting: CancellationToken,
    /// Tasks that run besides requests.
    pub tasks: TaskTracker,
}
