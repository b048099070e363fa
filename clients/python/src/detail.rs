//! An answer, and why it was given.

use halyard::ErrorKind;
use pyo3::prelude::*;

/// An answer, and why it was given.
#[pyclass(frozen, generic, module = "halyard")]
pub(crate) struct Detail {
    value: Py<PyAny>,
    reason: &'static str,
    variant: Option<String>,
    version: Option<u64>,
    error: Option<ErrorKind>,
}

impl Detail {
    /// Of an answer whose value is this one.
    pub(crate) fn new<T>((value, detail): (Bound<'_, PyAny>, halyard::Detail<T>)) -> Self {
        Self {
            value: value.unbind(),
            reason: detail.reason.as_str(),
            variant: detail.variant,
            version: detail.version,
            error: detail.error,
        }
    }
}

#[pymethods]
impl Detail {
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.value.bind(py)
    }

    #[getter]
    const fn reason(&self) -> &'static str {
        self.reason
    }

    #[getter]
    fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    #[getter]
    const fn version(&self) -> Option<u64> {
        self.version
    }

    #[getter]
    fn error(&self) -> Option<&'static str> {
        self.error.map(ErrorKind::as_str)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let told = (
            &self.value,
            self.reason,
            &self.variant,
            self.version,
            self.error(),
        );
        let told = told.into_pyobject(py)?.repr()?;
        Ok(format!("Detail{told}"))
    }
}
