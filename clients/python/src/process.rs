//! What there is once in a process: the runtime whose threads keep clients up to date.

use std::{
    mem,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use pyo3::prelude::*;
use tokio::{
    runtime::{Builder, Handle, Runtime},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::errors::HalyardError;

/// Signals are looked at so often while a thread waits.
const SIGNALS: Duration = Duration::from_millis(100);
/// How long the end of the interpreter waits for listeners that are being called.
const LISTENERS: Duration = Duration::from_secs(1);

/// How many forks lie between this process and the one that loaded the module.
static FORKS: AtomicU32 = AtomicU32::new(0);
/// Locked only by threads that hold the interpreter's lock, as the thread that forks does.
static PROCESS: Mutex<Option<Process>> = Mutex::new(None);

struct Process {
    runtime: Runtime,
    shared: Shared,
}

/// What clients take from their process.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) runtime: Handle,
    /// The interpreter is about to end.
    pub(crate) ending: CancellationToken,
    /// Tasks that call listeners.
    pub(crate) tellers: TaskTracker,
}

/// The runtime of this process, which is started if need be.
pub(crate) fn shared() -> PyResult<Shared> {
    let mut process = PROCESS.lock();
    if let Some(process) = &*process {
        return Ok(process.shared.clone());
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("halyard")
        .enable_all()
        .build()
        .map_err(|why| HalyardError::new_err(format!("no thread can be started: {why}")))?;
    let shared = Shared {
        runtime: runtime.handle().clone(),
        ending: CancellationToken::new(),
        tellers: TaskTracker::new(),
    };
    *process = Some(Process {
        runtime,
        shared: shared.clone(),
    });
    Ok(shared)
}

/// A number that is another one in each child process.
#[inline]
pub(crate) fn forks() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// Waits for a future without holding up other threads of Python; a signal such as Ctrl-C ends it.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    runtime: &Handle,
    future: impl Future<Output = T> + Send + 'static,
) -> PyResult<T> {
    let mut task = runtime.spawn(future);
    loop {
        let done = py.detach(|| runtime.block_on(async { timeout(SIGNALS, &mut task).await }));
        match done {
            Ok(done) => return done.map_err(|why| HalyardError::new_err(why.to_string())),
            Err(_) => py.check_signals().inspect_err(|_| task.abort())?,
        }
    }
}

/// In the child of a fork, where the threads of the runtime are not: a new one is started when it is needed.
#[pyfunction]
pub(crate) fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    // Ending it would wait for its threads.
    mem::forget(PROCESS.lock().take());
}

/// Before the interpreter ends: no listener is called any more.
#[pyfunction]
pub(crate) fn at_exit(py: Python<'_>) {
    let Some(process) = PROCESS.lock().take() else {
        return;
    };
    let Process { runtime, shared } = process;
    shared.ending.cancel();
    shared.tellers.close();
    py.detach(|| {
        let ended = runtime.block_on(async { timeout(LISTENERS, shared.tellers.wait()).await });
        drop(ended);
        runtime.shutdown_background();
    });
}
