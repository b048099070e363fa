//! What getters have in common: they hand over what they are given, and never raise.

use std::sync::{Arc, LazyLock};

use halyard::{Client, Context, Detail, ErrorKind};
use pyo3::{
    prelude::*,
    types::{PyBool, PyFloat, PyString},
};
use serde_json::Value;

use crate::{context, values};

static NO_TEXT: LazyLock<Arc<str>> = LazyLock::new(|| "".into());
static NO_JSON: LazyLock<Arc<Value>> = LazyLock::new(Arc::default);

/// A type of flags, whose values Python has, too.
pub(crate) trait Asked: Sized {
    fn ask(client: &Client, key: &str, context: &Context) -> Detail<Self>;

    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;
}

impl Asked for bool {
    #[inline]
    fn ask(client: &Client, key: &str, context: &Context) -> Detail<Self> {
        client.bool_detail(key, context, false)
    }

    #[inline]
    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBool::new(py, *self).to_owned().into_any())
    }
}

impl Asked for f64 {
    #[inline]
    fn ask(client: &Client, key: &str, context: &Context) -> Detail<Self> {
        client.number_detail(key, context, 0.0)
    }

    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyFloat::new(py, *self).into_any())
    }
}

impl Asked for i64 {
    #[inline]
    fn ask(client: &Client, key: &str, context: &Context) -> Detail<Self> {
        client.int_detail(key, context, 0)
    }

    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.into_pyobject(py)?.into_any())
    }
}

impl Asked for Arc<str> {
    #[inline]
    fn ask(client: &Client, key: &str, context: &Context) -> Detail<Self> {
        client.string_detail(key, context, Self::clone(&NO_TEXT))
    }

    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyString::new(py, self).into_any())
    }
}

impl Asked for Arc<Value> {
    #[inline]
    fn ask(client: &Client, key: &str, context: &Context) -> Detail<Self> {
        client.json_detail(key, context, Self::clone(&NO_JSON))
    }

    fn convert<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::to_python(py, self)
    }
}

/// Asks by any key and context: the value that was answered, or the very default that the caller gave; and why.
#[inline]
pub(crate) fn ask<'py, T: Asked>(
    client: &Client,
    key: &Bound<'_, PyAny>,
    context: &Bound<'_, PyAny>,
    default: Bound<'py, PyAny>,
) -> (Bound<'py, PyAny>, Detail<T>) {
    let key = values::text(key);
    let detail = context::with(context, |context| T::ask(client, &key, context));
    // Only with this error the flag's own default is the answer.
    let value = if matches!(detail.error, None | Some(ErrorKind::General)) {
        detail.value.convert(default.py()).unwrap_or(default)
    } else {
        default
    };
    (value, detail)
}
