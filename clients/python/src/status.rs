//! How a client is doing, and what changed.

use std::time::SystemTime;

use halyard::State;
use pyo3::prelude::*;

/// How a client is doing.
#[pyclass(frozen, module = "halyard")]
pub(crate) struct Status(pub(crate) halyard::Status);

#[pymethods]
impl Status {
    #[getter]
    const fn state(&self) -> &'static str {
        match self.0.state {
            State::Ready => "READY",
            State::Stale { .. } => "STALE",
            State::Refused => "REFUSED",
            _ => "NOT_READY",
        }
    }

    #[getter]
    const fn since(&self) -> Option<SystemTime> {
        match self.0.state {
            State::Stale { since } => Some(since),
            _ => None,
        }
    }

    #[getter]
    const fn version(&self) -> Option<u64> {
        self.0.version
    }

    #[getter]
    fn last_error(&self) -> Option<&str> {
        self.0.last_error.as_deref()
    }

    pub(crate) fn __repr__(&self) -> String {
        let (state, version) = (self.state(), self.0.version);
        let last_error = self.0.last_error.as_deref().unwrap_or_default();
        match version {
            Some(version) => format!("Status({state}, version {version}, {last_error:?})"),
            None => format!("Status({state}, no version, {last_error:?})"),
        }
    }
}

/// Flags may answer differently now.
#[pyclass(frozen, module = "halyard")]
pub(crate) struct Changed(pub(crate) halyard::Changed);

#[pymethods]
impl Changed {
    #[getter]
    const fn version(&self) -> u64 {
        self.0.version
    }

    #[getter]
    fn flags(&self) -> Vec<String> {
        self.0.flags.clone()
    }

    fn __repr__(&self) -> String {
        format!("Changed(version {}, {:?})", self.0.version, self.0.flags)
    }
}
