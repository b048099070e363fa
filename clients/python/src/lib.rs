//! The module that the Python SDK is made of: `halyard._native`. It hands what is asked to the Rust SDK, and evaluates nothing itself.

mod answers;
mod client;
mod context;
mod detail;
mod errors;
mod listeners;
mod news;
mod process;
mod settings;
mod status;
mod values;

/// What `halyard/_native.pyi` describes.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::{
        client::Client,
        context::Context,
        detail::Detail,
        errors::{FileError, HalyardError, RefusedError, SettingsError, StartTimeoutError},
        listeners::Subscription,
        process::{at_exit, forked},
        status::{Changed, Status},
    };
}
