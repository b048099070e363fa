//! Lengths of time that bounds of settings are made of.

use std::time::Duration;

pub const MILLISECOND: Duration = Duration::from_millis(1);
pub const SECOND: Duration = Duration::from_secs(1);
pub const MINUTE: Duration = Duration::from_secs(60);
pub const HOUR: Duration = Duration::from_secs(60 * 60);
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Ten years, without leap days: what lasts longer lasts for ever.
pub const DECADE: Duration = Duration::from_secs(3_650 * 24 * 60 * 60);
