//! Shared parts of the operators' commands: output, and the record of operators' actions.
//!
//! Actions on an organization are in its audit log. Actions that belong to no organization are in a separate table for operators.

pub mod model;
pub mod store;

use time::{OffsetDateTime, macros::format_description};

/// A time to the second, in UTC.
pub fn date(time: OffsetDateTime) -> String {
    time.format(format_description!(
        "[year]-[month]-[day]T[hour]:[minute]:[second]Z"
    ))
    .expect("every time has these parts")
}

/// The same, or a dash.
pub fn date_or_dash(time: Option<OffsetDateTime>) -> String {
    time.map_or_else(|| "-".to_owned(), date)
}
