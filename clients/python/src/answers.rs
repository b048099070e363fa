//! What getters have in common: they hand over what they are given, and never raise.

use std::sync::Arc;

use halyard::{Context, Detail, ErrorKind};
use pyo3::{
    prelude::*,
    types::{PyBool, PyFloat, PyString},
};
use serde_json::Value;

use crate::{context, values};

/// Asks by any key and context.
#[inline]
pub(crate) fn ask<T>(
    key: &Bound<'_, PyAny>,
    context: &Bound<'_, PyAny>,
    ask: impl FnOnce(&str, &Context) -> Detail<T>,
) -> Detail<T> {
    let key = values::text(key);
    context::with(context, |context| ask(&key, context))
}

/// A value that Python has, too.
pub(crate) trait Convert {
    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;
}

impl Convert for bool {
    #[inline]
    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBool::new(py, *self).to_owned().into_any())
    }
}

impl Convert for f64 {
    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyFloat::new(py, *self).into_any())
    }
}

impl Convert for i64 {
    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.into_pyobject(py)?.into_any())
    }
}

impl Convert for Arc<str> {
    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyString::new(py, self).into_any())
    }
}

impl Convert for Arc<Value> {
    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::to_python(py, self)
    }
}

/// The value that was answered, or the very default that the caller gave.
#[inline]
pub(crate) fn value<'py, T: Convert>(
    detail: &Detail<T>,
    default: Bound<'py, PyAny>,
) -> Bound<'py, PyAny> {
    // Only with this error the flag's own default is the answer.
    if !matches!(detail.error, None | Some(ErrorKind::General)) {
        return default;
    }
    detail.value.convert(default.py()).unwrap_or(default)
}
