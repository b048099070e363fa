//! What the commands of operators print alike.

use time::{OffsetDateTime, macros::format_description};

/// A time to the second, in UTC.
pub(crate) fn date(time: OffsetDateTime) -> String {
    time.format(format_description!(
        "[year]-[month]-[day]T[hour]:[minute]:[second]Z"
    ))
    .expect("every time has these parts")
}
