//! The client: what applications ask.

use std::{mem, path::PathBuf, sync::Arc};

use halyard::{State, Status as Known};
use pyo3::prelude::*;
use serde_json::Value;
use tokio::time::timeout;

use crate::{
    answers::ask,
    detail::Detail,
    errors::{of_file, of_start},
    listeners::{Listeners, Subscription, Topic},
    news,
    process::{self, Shared},
    settings::{Settings, seconds},
    status::Status,
    values::text,
};

/// Answers for flags from memory.
#[pyclass(frozen, weakref, module = "halyard")]
pub(crate) struct Client {
    client: halyard::Client,
    listeners: Arc<Listeners>,
    /// Absent without an edge.
    shared: Option<Shared>,
    /// [`process::forks`] where it was started.
    forks: u32,
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.has_forked() {
            // What ends a client takes locks, which threads of the parent may have held.
            mem::forget((self.client.clone(), Arc::clone(&self.listeners)));
            mem::forget(self.shared.take());
        }
    }
}

impl Client {
    fn new(py: Python<'_>, client: halyard::Client, shared: Option<Shared>) -> PyResult<Self> {
        let stop = shared.as_ref().map(|shared| shared.ending.child_token());
        let stop = stop.unwrap_or_default();
        let listeners = Arc::new(Listeners::new(stop));
        if let Some(shared) = &shared {
            news::follow(py, &client, shared, &listeners)?;
        }
        Ok(Self {
            client,
            listeners,
            shared,
            forks: process::forks(),
        })
    }

    fn has_forked(&self) -> bool {
        self.forks != process::forks()
    }
}

#[pymethods]
impl Client {
    #[new]
    #[pyo3(signature = (server_key, edge_url, *, local_copy = None, environment_id = None, signing_keys = None, wait = true,
        start_timeout = 10.0, usage_interval = 60.0, stream_silence = 60.0, application = ""))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn start(
        py: Python<'_>,
        server_key: String,
        edge_url: String,
        local_copy: Option<PathBuf>,
        environment_id: Option<String>,
        signing_keys: Option<Vec<String>>,
        wait: bool,
        start_timeout: f64,
        usage_interval: f64,
        stream_silence: f64,
        application: &str,
    ) -> PyResult<Self> {
        let settings = Settings {
            server_key,
            edge_url,
            local_copy,
            environment_id,
            signing_keys,
            start_timeout,
            usage_interval,
            stream_silence,
            application: application.to_owned(),
        };
        let builder = settings.builder()?;
        let shared = process::shared()?;
        let started = if wait {
            process::wait(py, &shared.runtime, builder.start())?
        } else {
            let _entered = shared.runtime.enter();
            py.detach(|| builder.start_without_waiting())
        };
        let client = started.map_err(|why| of_start(&why))?;
        Self::new(py, client, Some(shared))
    }

    /// A client without network that answers from a file.
    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let client = py.detach(|| halyard::Client::from_snapshot_file(path));
        Self::new(py, client.map_err(|why| of_file(&why))?, None)
    }

    fn boolean<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        context: &Bound<'py, PyAny>,
        default: Bound<'py, PyAny>,
    ) -> Bound<'py, PyAny> {
        ask::<bool>(&self.client, key, context, default).0
    }

    fn number<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        context: &Bound<'py, PyAny>,
        default: Bound<'py, PyAny>,
    ) -> Bound<'py, PyAny> {
        ask::<f64>(&self.client, key, context, default).0
    }

    fn integer<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        context: &Bound<'py, PyAny>,
        default: Bound<'py, PyAny>,
    ) -> Bound<'py, PyAny> {
        ask::<i64>(&self.client, key, context, default).0
    }

    fn string<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        context: &Bound<'py, PyAny>,
        default: Bound<'py, PyAny>,
    ) -> Bound<'py, PyAny> {
        ask::<Arc<str>>(&self.client, key, context, default).0
    }

    fn json<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        context: &Bound<'py, PyAny>,
        default: Bound<'py, PyAny>,
    ) -> Bound<'py, PyAny> {
        ask::<Arc<Value>>(&self.client, key, context, default).0
    }

    fn boolean_detail(
        &self,
        key: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        default: Bound<'_, PyAny>,
    ) -> Detail {
        Detail::new(ask::<bool>(&self.client, key, context, default))
    }

    fn number_detail(
        &self,
        key: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        default: Bound<'_, PyAny>,
    ) -> Detail {
        Detail::new(ask::<f64>(&self.client, key, context, default))
    }

    fn integer_detail(
        &self,
        key: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        default: Bound<'_, PyAny>,
    ) -> Detail {
        Detail::new(ask::<i64>(&self.client, key, context, default))
    }

    fn string_detail(
        &self,
        key: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        default: Bound<'_, PyAny>,
    ) -> Detail {
        Detail::new(ask::<Arc<str>>(&self.client, key, context, default))
    }

    fn json_detail(
        &self,
        key: &Bound<'_, PyAny>,
        context: &Bound<'_, PyAny>,
        default: Bound<'_, PyAny>,
    ) -> Detail {
        Detail::new(ask::<Arc<Value>>(&self.client, key, context, default))
    }

    fn track(
        &self,
        flag_key: &Bound<'_, PyAny>,
        variant_key: &Bound<'_, PyAny>,
        user_key: &Bound<'_, PyAny>,
    ) {
        let (flag_key, variant_key) = (text(flag_key), text(variant_key));
        self.client.track(&flag_key, &variant_key, &text(user_key));
    }

    #[getter]
    fn tracks_dropped(&self) -> u64 {
        self.client.tracks_dropped()
    }

    #[getter]
    fn status(&self) -> Status {
        Status(self.client.status())
    }

    fn flag_keys(&self) -> Vec<String> {
        self.client.flag_keys()
    }

    /// Waits until there are flags to answer from, or the key is refused.
    #[pyo3(signature = (timeout_seconds = 10.0, /))]
    fn wait_until_ready(&self, py: Python<'_>, timeout_seconds: f64) -> PyResult<bool> {
        let bound = seconds("the time to wait", timeout_seconds)?;
        if let Some(shared) = self.shared.as_ref().filter(|_| !self.has_forked()) {
            let mut news = self.client.watch_status();
            let settled = |now: &Known| now.version.is_some() || now.state == State::Refused;
            let settle = async move { timeout(bound, news.wait_for(settled)).await.is_ok() };
            process::wait(py, &shared.runtime, settle)?;
        }
        Ok(self.client.status().version.is_some())
    }

    #[pyo3(signature = (listener, *, ended = None))]
    fn on_change(
        &self,
        py: Python<'_>,
        listener: Py<PyAny>,
        ended: Option<Py<PyAny>>,
    ) -> Subscription {
        self.listeners.add(py, Topic::Changes, listener, ended)
    }

    #[pyo3(signature = (listener, *, ended = None))]
    fn on_status(
        &self,
        py: Python<'_>,
        listener: Py<PyAny>,
        ended: Option<Py<PyAny>>,
    ) -> Subscription {
        self.listeners.add(py, Topic::Status, listener, ended)
    }

    /// Ends what keeps the client up to date, after a last report.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.has_forked() {
            return Ok(());
        }
        self.listeners.close(py);
        if let Some(shared) = &self.shared {
            let client = self.client.clone();
            process::wait(py, &shared.runtime, async move { client.close().await })?;
        }
        Ok(())
    }

    const fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        format!(
            "<halyard.Client {}>",
            Status(self.client.status()).__repr__()
        )
    }
}
