//! What the commands of operators have in common: what they print alike, and what is recorded of them.
//!
//! What happens to an organization is in its audit trail. What belongs to none is in a table of its own, which whoever operates
//! the service reads.

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
