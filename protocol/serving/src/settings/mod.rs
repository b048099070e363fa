//! Settings from environment variables: typed, with all problems reported at once.
//!
//! A [`Reader`] goes through the variables of all subsystems, substitutes the default where a value is unusable, and
//! records the problem under the name of its variable. [`Reader::finish`] then refuses to start with the whole list. A
//! variable that is set to the empty string counts as not set.

mod duration;
mod reader;
pub mod spans;

use std::{collections::BTreeMap, ffi::OsString};

pub use duration::parse_duration;
pub use reader::{Problems, Reader};

/// Where settings come from.
pub trait Source {
    /// The raw value of a variable, if it is set.
    fn get(&self, name: &str) -> Option<OsString>;
}

/// The environment of this process.
#[derive(Clone, Copy, Debug)]
pub struct ProcessVariables;

impl Source for ProcessVariables {
    fn get(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }
}

impl Source for BTreeMap<String, String> {
    fn get(&self, name: &str) -> Option<OsString> {
        self.get(name).map(OsString::from)
    }
}
