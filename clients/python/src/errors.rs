//! Exceptions, which only starting a client raises.

use halyard::{FileError as Unusable, StartError};
use pyo3::{PyErr, create_exception, exceptions::PyException};

create_exception!(
    halyard,
    HalyardError,
    PyException,
    "Why a client did not start."
);
create_exception!(
    halyard,
    SettingsError,
    HalyardError,
    "A setting cannot be used."
);
create_exception!(
    halyard,
    RefusedError,
    HalyardError,
    "The edge refuses the API key."
);
create_exception!(
    halyard,
    StartTimeoutError,
    HalyardError,
    "The edge gave no flags in time, and there is no local copy."
);
create_exception!(
    halyard,
    FileError,
    HalyardError,
    "A file is not there, or is damaged."
);

pub(crate) fn of_start(why: &StartError) -> PyErr {
    let text = why.to_string();
    match why {
        StartError::Settings(_) => SettingsError::new_err(text),
        StartError::Refused(_) => RefusedError::new_err(text),
        StartError::Timeout(_) => StartTimeoutError::new_err(text),
        _ => HalyardError::new_err(text),
    }
}

pub(crate) fn of_file(why: &Unusable) -> PyErr {
    FileError::new_err(why.to_string())
}
