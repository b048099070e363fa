//! Which series may grow, and which did although they may not.

use std::fmt::{self, Display};

use super::sample::{Samples, Series};
use super::slope::{Slope, median, slope};

/// Tables that keep what was, and what takes it back besides the deletion of the organization.
const KEPT: [(&str, &str); 19] = [
    ("address_mails", "an hour"),
    ("api_keys", "the newest that are revoked stay"),
    ("audit_entries_first", "AUDIT_RETENTION"),
    ("change_sets", "the last 1,000 stay"),
    ("edge_certificates", "nothing: who was let in"),
    ("evaluation_counters", "whoever clears them"),
    ("evaluation_series", "2 days to 2 years"),
    ("flag_versions", "365 days"),
    ("operator_events", "the last 10,000 stay"),
    ("refresh_tokens", "their time"),
    ("removed_environments", "7 days"),
    ("removed_flags", "7 days"),
    ("removed_members", "their time"),
    ("removed_segments", "7 days"),
    ("sales_inquiries", "nothing"),
    ("token_families", "their time"),
    ("told_defaults", "31 days"),
    ("usage_reports", "90 days"),
    ("users", "nothing: people stay who leave an organization"),
];

/// A series and how it went.
#[derive(Clone, Debug)]
pub struct Trend {
    pub series: Series,
    pub typical: f64,
    pub slope: Slope,
    /// What it may grow by in an hour, if at all.
    pub allowed: Option<f64>,
}

impl Trend {
    /// Whether it surely grew by more than it may.
    pub fn is_growth(&self) -> bool {
        self.allowed.is_some_and(|allowed| self.slope.low > allowed)
    }
}

/// How each series went of which enough is known.
pub fn trends(samples: &Samples) -> Vec<Trend> {
    let series = samples.0.iter();
    let trends = series.filter_map(|(series, points)| {
        let mut values: Vec<_> = points.iter().map(|(_, value)| *value).collect();
        let slope = slope(points)?;
        let typical = median(&mut values);
        Some(Trend {
            allowed: allowed(series, typical),
            series: series.clone(),
            typical,
            slope,
        })
    });
    trends.collect()
}

fn allowed(series: &Series, typical: f64) -> Option<f64> {
    let is_kept = |table: &str| KEPT.iter().any(|(kept, _)| *kept == table);
    match series {
        Series::Rows(table) | Series::Bytes(table) if is_kept(table) => None,
        // Allocators keep pages, and bounded lists fill.
        Series::Memory(_) => Some(0.1 * typical),
        Series::Bytes(_) | Series::Disk(_) => Some(0.1 * typical + 64.0),
        Series::Rows(_) | Series::Gauge(..) | Series::Metrics(_) => Some(0.02 * typical + 1.0),
    }
}

impl Display for Trend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_growth() { "GROWS " } else { "" };
        let Self {
            series,
            typical,
            slope,
            allowed,
        } = self;
        write!(f, "{mark}{series}: {typical:.1}, {slope}")?;
        match allowed {
            Some(allowed) => write!(f, ", may be {allowed:.1}"),
            None => write!(f, ", is kept"),
        }
    }
}
