//! Settings from environment variables: typed, and with every problem told at once.
//!
//! A [`Reader`] goes through the variables of all subsystems, keeps a default where a value is
//! unusable, and remembers the problem by the name of its variable. [`Reader::finish`] then
//! refuses to start with the whole list. A variable that is set to nothing counts as not set.

mod duration;
mod reader;

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
pub struct Environment;

impl Source for Environment {
    fn get(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }
}

impl Source for BTreeMap<String, String> {
    fn get(&self, name: &str) -> Option<OsString> {
        self.get(name).map(OsString::from)
    }
}
