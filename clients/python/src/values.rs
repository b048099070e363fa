//! Values between Python and JSON.

use std::borrow::Cow;

use pyo3::{
    prelude::*,
    types::{
        PyBool, PyDate, PyDateTime, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMapping, PySet,
        PyString, PyTuple,
    },
};
use serde_json::{Map, Value};

/// What is nested deeper is left out, since it may hold itself.
const DEPTH: usize = 32;

/// A text; anything else by its `str()`.
pub(crate) fn text<'a>(value: &'a Bound<'_, PyAny>) -> Cow<'a, str> {
    match value.cast::<PyString>() {
        Ok(text) => text.to_string_lossy(),
        Err(_) => Cow::Owned(described(value).unwrap_or_default()),
    }
}

/// As JSON. Dates and times become texts, what JSON has nothing for its `str()`, and what has none, `null`.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> Value {
    convert(value, DEPTH)
}

fn convert(value: &Bound<'_, PyAny>, depth: usize) -> Value {
    if let Ok(text) = value.cast::<PyString>() {
        Value::String(text.to_string_lossy().into_owned())
    } else if value.is_none() || depth == 0 {
        Value::Null
    } else if let Ok(value) = value.cast::<PyBool>() {
        Value::Bool(value.is_true())
    } else if value.is_instance_of::<PyInt>() {
        whole(value)
    } else if value.is_instance_of::<PyFloat>() {
        value.extract::<f64>().map_or(Value::Null, Value::from)
    } else if let Ok(members) = value.cast::<PyDict>() {
        object(&members.items(), depth)
    } else if is_collection(value) {
        let elements = value.try_iter().into_iter().flatten();
        let elements = elements.map_while(Result::ok);
        elements.map(|value| convert(&value, depth - 1)).collect()
    } else {
        convert_other(value, depth).unwrap_or(Value::Null)
    }
}

fn is_collection(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || value.is_instance_of::<PySet>()
        || value.is_instance_of::<PyFrozenSet>()
}

/// The items are a copy: what they hold may change its mind while it is asked.
fn object(items: &Bound<'_, PyList>, depth: usize) -> Value {
    let mut members = Map::new();
    for item in items {
        if let Ok((name, value)) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
            members.insert(text(&name).into_owned(), convert(&value, depth - 1));
        }
    }
    Value::Object(members)
}

/// Exactly, if 64 bits are enough.
fn whole(value: &Bound<'_, PyAny>) -> Value {
    if let Ok(number) = value.extract::<i64>() {
        return number.into();
    }
    if let Ok(number) = value.extract::<u64>() {
        return number.into();
    }
    value.extract::<f64>().map_or(Value::Null, Value::from)
}

fn convert_other(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if let Ok(moment) = value.cast::<PyDateTime>() {
        // One without a zone is of this machine's, as everywhere in Python.
        let moment = if moment.getattr("tzinfo")?.is_none() {
            moment.call_method0("astimezone")?
        } else {
            moment.clone().into_any()
        };
        return Ok(Value::String(moment.call_method0("isoformat")?.extract()?));
    }
    if value.is_instance_of::<PyDate>() {
        return Ok(Value::String(value.call_method0("isoformat")?.extract()?));
    }
    if let Ok(members) = value.cast::<PyMapping>() {
        return Ok(object(&members.items()?, depth));
    }
    // Numbers of other libraries.
    if value.hasattr("__index__")? {
        return Ok(whole(&value.call_method0("__index__")?));
    }
    if value.hasattr("__float__")? {
        return Ok(value.extract::<f64>()?.into());
    }
    Ok(Value::String(described(value)?))
}

fn described(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(value.str()?.to_string_lossy().into_owned())
}

/// As Python has it; the caller may change it.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, Some(number)) => number.into_pyobject(py)?.into_any(),
            (None, None) => PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(elements) => {
            let list = PyList::empty(py);
            for element in elements {
                list.append(to_python(py, element)?)?;
            }
            list.into_any()
        }
        Value::Object(members) => {
            let dict = PyDict::new(py);
            for (name, member) in members {
                dict.set_item(name, to_python(py, member)?)?;
            }
            dict.into_any()
        }
    })
}
