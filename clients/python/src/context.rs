//! Whom flags are evaluated for.

use pyo3::{
    intern,
    prelude::*,
    types::{PyDict, PyString},
};
use serde_json::Value;

use crate::values::{from_python, text};

/// Whom flags are evaluated for, prepared once for any number of evaluations.
#[pyclass(frozen, module = "halyard")]
pub(crate) struct Context(halyard::Context);

#[pymethods]
impl Context {
    #[new]
    #[pyo3(signature = (key, attributes = None, /, **named))]
    fn new(
        key: &Bound<'_, PyAny>,
        attributes: Option<&Bound<'_, PyAny>>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> Self {
        let named = named.map(|named| named.as_any());
        Self(context(key, [attributes, named]))
    }

    /// The key.
    #[getter]
    fn key(&self) -> &str {
        self.0.key()
    }

    /// Without attributes, which are nobody's business in a log.
    fn __repr__(&self) -> String {
        format!("Context({:?})", self.0.key())
    }
}

/// Calls with the context that was given in one of its forms: prepared, a key, or `{"key": …, "attributes": {…}}`.
#[inline]
pub(crate) fn with<T>(given: &Bound<'_, PyAny>, ask: impl FnOnce(&halyard::Context) -> T) -> T {
    match given.cast::<Context>() {
        Ok(prepared) => ask(&prepared.get().0),
        Err(_) => ask(&prepare(given)),
    }
}

fn prepare(given: &Bound<'_, PyAny>) -> halyard::Context {
    if given.is_none() {
        return halyard::Context::default();
    }
    if given.is_instance_of::<PyString>() {
        return halyard::Context::new(text(given));
    }
    let py = given.py();
    let part = |name| given.get_item(name).ok().filter(|part| !part.is_none());
    let (key, attributes) = (part(intern!(py, "key")), part(intern!(py, "attributes")));
    match key {
        Some(key) => context(&key, [attributes.as_ref()]),
        None => context(PyString::new(py, "").as_any(), [attributes.as_ref()]),
    }
}

fn context<'a, 'py: 'a>(
    key: &Bound<'_, PyAny>,
    attributes: impl IntoIterator<Item = Option<&'a Bound<'py, PyAny>>>,
) -> halyard::Context {
    let mut context = halyard::Context::builder(text(key));
    for attributes in attributes.into_iter().flatten() {
        if let Value::Object(members) = from_python(attributes) {
            for (name, value) in members {
                context = context.with(name, value);
            }
        }
    }
    context.build()
}
