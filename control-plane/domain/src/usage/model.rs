//! Usage as an organization sees it.

use serde::Serialize;
use serde_json::Value;
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use base::ids::{EnvId, ProjectId};

/// The key that counts evaluations of keys beyond [`MAX_UNKNOWN_KEYS`]. No flag can have it.
pub const OTHER: &str = "__other__";
/// Keys without a flag that are counted individually, per environment, in one window of an organization.
pub const MAX_UNKNOWN_KEYS: i64 = 10_000;

/// The filter of a report. Missing fields match everything.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub flag_key: Option<String>,
    pub env_id: Option<EnvId>,
    pub project_id: Option<ProjectId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub limit: i64,
    pub offset: i64,
}

impl Part {
    /// Maximum of an answer: the counters of 200 flags in 50 environments with two reasons each.
    pub const LIMIT: i64 = 20_000;
    /// Bytes of keys, as JSON, in an answer, but for its last item.
    pub const BYTES: i64 = 4 * 1024 * 1024;
}

/// The counters of the current window.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EvaluationCounts)]
pub struct Evaluations {
    /// The sum of all counters that the filters let through, of other parts too.
    pub total_evaluations: i64,
    /// Creation of the organization, or the last reset.
    #[serde(with = "time::serde::rfc3339")]
    pub window_start: OffsetDateTime,
    /// By flag key, environment, reason.
    pub counters: Vec<EvaluationCounter>,
}

/// How often a flag was answered with a reason.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvaluationCounter {
    /// The key that was asked for, which need not be that of a flag; `__other__` for keys beyond the bound.
    pub flag_key: String,
    /// Where.
    pub env_id: EnvId,
    /// The reason answered.
    pub reason: String,
    /// How often.
    pub count: i64,
}

/// How often a variant was shown, in the impressions kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct AggregatedImpression {
    /// The flag, which need not exist.
    pub flag_key: String,
    /// The variant; may be empty.
    pub variant_key: String,
    /// How often.
    pub count: i64,
}

/// One impression.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Impression)]
pub struct RawImpression {
    /// The flag, which need not exist.
    pub flag_key: String,
    /// The variant; may be empty.
    pub variant_key: String,
    /// The user; may be empty.
    pub user_key: String,
    /// When it was received, Unix milliseconds.
    pub timestamp: i64,
}

/// A key that SDKs ask for and that no flag has.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnknownFlag {
    /// The key; `__other__` for all beyond the bound.
    pub flag_key: String,
    /// Where it was asked for.
    pub env_id: EnvId,
    /// How often it was asked for in the current window.
    pub count: i64,
    /// When it was first reported in the window.
    #[serde(with = "time::serde::rfc3339")]
    pub first_seen_at: OffsetDateTime,
    /// When it was last reported.
    #[serde(with = "time::serde::rfc3339")]
    pub last_seen_at: OffsetDateTime,
}

/// The resolution of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Minute,
    Hour,
    /// `1d`, in UTC.
    Day,
}

impl Step {
    /// All, the shortest first.
    pub const ALL: [Self; 3] = [Self::Minute, Self::Hour, Self::Day];

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Minute => "1m",
            Self::Hour => "1h",
            Self::Day => "1d",
        }
    }

    pub const fn seconds(self) -> i32 {
        match self {
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day => 86_400,
        }
    }

    pub const fn length(self) -> Duration {
        Duration::seconds(self.seconds() as i64)
    }

    pub const fn kept_for(self) -> Duration {
        match self {
            Self::Minute => Duration::days(2),
            Self::Hour => Duration::days(90),
            Self::Day => Duration::days(730),
        }
    }
}

/// What flags answered over time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EvaluationSeriesReport)]
pub struct SeriesReport {
    /// How long a point is: `1m`, `1h` or `1d`.
    pub step: &'static str,
    /// At most 50, those with the most evaluations first.
    pub series: Vec<Series>,
    /// What all others have together.
    pub left_out: LeftOut,
}

impl SeriesReport {
    pub const fn empty(step: Step) -> Self {
        Self {
            step: step.name(),
            series: Vec::new(),
            left_out: LeftOut {
                series: 0,
                evaluations: 0,
                points: Vec::new(),
            },
        }
    }
}

/// How often flags answered the same. Members that `by` does not name are `null`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EvaluationSeries)]
pub struct Series {
    /// The flag; `__other__` for keys that no flag has, and for what is beyond 2,000 series of the organization.
    #[schema(required)]
    pub flag_key: Option<String>,
    /// Where.
    #[schema(required)]
    pub env_id: Option<EnvId>,
    /// The value that was served; `null` if it has more than 128 bytes, or was not told.
    pub value: Value,
    /// The first 16 digits of the SHA-256 of the JSON of a longer value.
    #[schema(required)]
    pub value_digest: Option<String>,
    /// The variant that was served; mostly none, and empty.
    #[schema(required)]
    pub variant_key: Option<String>,
    /// The reason.
    #[schema(required)]
    pub reason: Option<String>,
    /// Beginnings of steps, in seconds of Unix time, and how often within each. Steps without an evaluation are left out.
    #[schema(value_type = Vec<Vec<i64>>)]
    pub points: Vec<(i64, i64)>,
}

/// What the code of services would use without answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct DefaultsReport {
    /// The beginning of what is reported, a day of UTC.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// Those with the most answers that differ first; at most 500.
    pub defaults: Vec<ToldDefault>,
    /// How many more there are.
    pub left_out: i64,
}

/// What the code of a service would use for a flag without an answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct ToldDefault {
    /// The flag.
    pub flag_key: String,
    /// Where.
    pub env_id: EnvId,
    /// What the service calls itself; empty if it does not.
    pub service: String,
    /// The default; `null` if it has more than 128 bytes.
    pub value: Value,
    /// The first 16 digits of the SHA-256 of the JSON of a longer value.
    #[schema(required)]
    pub value_digest: Option<String>,
    /// How many answers it was told with.
    pub answers: i64,
    /// How many of these had another value: so many would change in an outage.
    pub differing: i64,
    /// Whether another default was told of the flag in this environment, by this service or another.
    pub disagrees: bool,
    /// When it was told last.
    #[serde(with = "time::serde::rfc3339")]
    pub last_told_at: OffsetDateTime,
}

/// Which defaults to report.
#[derive(Clone, Debug)]
pub struct DefaultsFilter {
    pub env_id: Option<EnvId>,
    pub flag_key: Option<String>,
    pub days: i64,
}

/// The series that an answer has no room for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SeriesLeftOut)]
pub struct LeftOut {
    /// How many.
    pub series: i64,
    /// How many evaluations they have.
    pub evaluations: i64,
    /// When, as the points of a series.
    #[schema(value_type = Vec<Vec<i64>>)]
    pub points: Vec<(i64, i64)>,
}

/// The members by which series are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct By {
    pub flag_key: bool,
    pub env_id: bool,
    pub value: bool,
    pub variant_key: bool,
    pub reason: bool,
}

impl By {
    pub const ALL: Self = Self {
        flag_key: true,
        env_id: true,
        value: true,
        variant_key: true,
        reason: true,
    };
    const NONE: Self = Self {
        flag_key: false,
        env_id: false,
        value: false,
        variant_key: false,
        reason: false,
    };

    /// Reads names with commas between. `None` if there is no such member.
    pub fn parse(names: &str) -> Option<Self> {
        let mut by = Self::NONE;
        for name in names.split(',') {
            match name.trim() {
                "flag_key" => by.flag_key = true,
                "env_id" => by.env_id = true,
                "value" => by.value = true,
                "variant_key" => by.variant_key = true,
                "reason" => by.reason = true,
                _ => return None,
            }
        }
        Some(by)
    }
}
