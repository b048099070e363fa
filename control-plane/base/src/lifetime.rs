//! When the parts of a process end.

use serving::leaving::Leaving;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Shutdown of a process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Lifetime {
    /// Before `stop`: this replica answers, but others should do the rest.
    pub leaving: Leaving,
    /// Ends requests and jobs.
    pub stop: CancellationToken,
    /// Stops storing usage: after `stop`, so that the counts of the last requests are stored.
    pub stop_counting: CancellationToken,
    /// Tasks that run besides requests.
    pub tasks: TaskTracker,
}

impl Default for Lifetime {
    fn default() -> Self {
        let stop = CancellationToken::new();
        Self {
            leaving: Leaving::before(&stop),
            stop,
            stop_counting: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }
}
