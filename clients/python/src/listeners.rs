//! Functions that are called with news.

use parking_lot::Mutex;
use pyo3::{prelude::*, types::PyDict};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What a listener is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    Changes,
    Status,
}

/// Those of a client. The lock is held only by threads that hold the interpreter's lock, and never while Python runs.
#[derive(Default)]
pub(crate) struct Listeners {
    inner: Mutex<Inner>,
    /// Nobody is told of anything any more.
    pub(crate) stop: CancellationToken,
}

#[derive(Default)]
struct Inner {
    last: u64,
    is_closed: bool,
    all: Vec<Listener>,
}

struct Listener {
    number: u64,
    topic: Topic,
    call: Py<PyAny>,
    ended: Option<Py<PyAny>>,
}

impl Listeners {
    pub(crate) fn new(stop: CancellationToken) -> Self {
        Self {
            inner: Mutex::default(),
            stop,
        }
    }

    /// Adds one; `ended` is called when the client closes, or at once if it did.
    pub(crate) fn add(
        self: &Arc<Self>,
        py: Python<'_>,
        topic: Topic,
        call: Py<PyAny>,
        ended: Option<Py<PyAny>>,
    ) -> Subscription {
        let mut inner = self.inner.lock();
        inner.last += 1;
        let number = inner.last;
        if inner.is_closed {
            drop(inner);
            ended.inspect(|ended| told(py, ended, ended.call0(py)));
        } else {
            inner.all.push(Listener {
                number,
                topic,
                call,
                ended,
            });
        }
        Subscription {
            listeners: Arc::clone(self),
            number,
        }
    }

    /// Calls those of a topic.
    pub(crate) fn tell(&self, py: Python<'_>, topic: Topic, news: &Bound<'_, PyAny>) {
        let calls: Vec<_> = {
            let inner = self.inner.lock();
            let all = inner.all.iter().filter(|one| one.topic == topic);
            all.map(|one| (one.number, one.call.clone_ref(py)))
                .collect()
        };
        for (number, call) in calls {
            if self.has(number) {
                told(py, &call, call.call1(py, (news,)));
            }
        }
    }

    /// Whether it was not removed meanwhile.
    fn has(&self, number: u64) -> bool {
        let inner = self.inner.lock();
        inner.all.iter().any(|one| one.number == number)
    }

    /// Ends all.
    pub(crate) fn close(&self, py: Python<'_>) {
        self.stop.cancel();
        let all = {
            let mut inner = self.inner.lock();
            inner.is_closed = true;
            std::mem::take(&mut inner.all)
        };
        for ended in all.iter().filter_map(|one| one.ended.as_ref()) {
            told(py, ended, ended.call0(py));
        }
    }
}

/// An exception of a listener is logged, as there is nobody who could catch it.
fn told(py: Python<'_>, call: &Py<PyAny>, result: PyResult<Py<PyAny>>) {
    if let Err(raised) = result {
        let fields = PyDict::new(py);
        let logged = fields
            .set_item("exc_info", raised.value(py))
            .and_then(|()| log(py, "error", "a listener raised an exception", Some(&fields)));
        if let Err(unlogged) = logged {
            unlogged.write_unraisable(py, Some(call.bind(py)));
        }
    }
}

/// Writes to the logger `halyard`.
pub(crate) fn log(
    py: Python<'_>,
    level: &str,
    message: &str,
    fields: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let logger = py
        .import("logging")?
        .call_method1("getLogger", ("halyard",))?;
    logger.call_method(level, ("%s", message), fields)?;
    Ok(())
}

/// A listener that can be removed.
#[pyclass(frozen, module = "halyard")]
pub(crate) struct Subscription {
    listeners: Arc<Listeners>,
    number: u64,
}

#[pymethods]
impl Subscription {
    /// Removes the listener; a call of it that is under way goes on.
    fn close(&self) {
        let removed: Vec<_> = {
            let mut inner = self.listeners.inner.lock();
            let number = self.number;
            inner
                .all
                .extract_if(.., |one| one.number == number)
                .collect()
        };
        // Without the lock: dropping it may run Python.
        drop(removed);
    }

    const fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        self.close();
    }
}
