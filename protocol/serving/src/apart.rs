//! Work of milliseconds. While a thread of the runtime does it, nothing else that waits for this thread has a turn, and the
//! runtime asks the system for news only every so many turns: ten such requests at once make all others wait for a second.

use std::{num::NonZero, sync::LazyLock, thread::available_parallelism};

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::Semaphore,
    task::{JoinHandle, block_in_place, spawn_blocking},
};

/// Half the processors: the others are always free for what is quick.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, NonZero::get);
    Semaphore::new(processors.div_ceil(2))
});

/// Does the work where no other request waits for this thread: the runtime hands those that do to another one. The caller
/// bounds how often this happens at once.
pub fn apart<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

/// Begins the work on a thread that may block, where there are several. A runtime of one thread does all things in their order.
pub fn begin_apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => tokio::spawn(async { work() }),
        _ => spawn_blocking(work),
    }
}

/// [`apart`] for work that has no other bound: whoever came first is first.
pub(crate) async fn apart_in_turn<T>(work: impl FnOnce() -> T) -> T {
    // It is never closed, so that this is always a turn.
    let _turn = TURNS.acquire().await;
    apart(work)
}
