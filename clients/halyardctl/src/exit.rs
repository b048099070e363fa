//! How a command ended, as programs see it.

use std::process::ExitCode;

use crate::api::Error;

/// How a command ended. The numbers are in the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// What was asked for is done.
    Done = 0,
    /// Something went wrong.
    Failed = 1,
    /// What was compared differs.
    Differs = 2,
    /// The service does not do it.
    Refused = 3,
    /// The command line is wrong; the number is `EX_USAGE` of sysexits.
    NotUnderstood = 64,
}

impl From<&Error> for Exit {
    fn from(error: &Error) -> Self {
        match error {
            Error::Refused(_) => Self::Refused,
            Error::Usage(_) => Self::NotUnderstood,
            Error::Broken(_) | Error::Unreachable { .. } | Error::Failed(_) => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
