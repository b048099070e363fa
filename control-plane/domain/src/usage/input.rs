//! Queries of usage reports.

use serde::Deserialize;
use time::{Duration, OffsetDateTime};
use utoipa::IntoParams;

use super::{
    defaults::KEPT_DAYS,
    model::{By, DefaultsFilter, Filter, Step},
};
use base::{
    ids::{EnvId, ProjectId},
    input::{Invalid, date_time},
    named::EnvRef,
};

/// Filters as sent. An empty one counts as absent.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FilterQuery {
    /// What was counted under this key, which need not be that of a flag.
    flag_key: Option<String>,
    /// What was counted in an environment.
    env_id: Option<String>,
    /// What was counted in the environments of a project.
    project_id: Option<String>,
}

/// Which defaults to report, as sent. Empty fields count as absent.
#[derive(Debug, Default, Deserialize)]
pub struct DefaultsQuery {
    env_id: Option<String>,
    flag_key: Option<String>,
    days: Option<String>,
}

impl DefaultsQuery {
    /// The environment that is asked for, by id or slug.
    pub fn environment(&self) -> Option<EnvRef> {
        EnvRef::given(self.env_id.as_deref())
    }

    /// Checks the fields, with the environment that is meant.
    pub fn read(self, env_id: Option<EnvId>) -> Result<DefaultsFilter, Invalid> {
        let days = match self.days.filter(|text| !text.is_empty()) {
            Some(text) => text
                .parse()
                .ok()
                .filter(|days| (1..=KEPT_DAYS).contains(days)),
            None => Some(7),
        };
        let days = days.ok_or_else(|| Invalid::new("days must be an integer from 1 to 31"))?;
        Ok(DefaultsFilter {
            env_id,
            flag_key: self.flag_key.filter(|text| !text.is_empty()),
            days,
        })
    }
}

impl FilterQuery {
    /// `None` if nothing can match, because a text is not an id.
    pub fn read(&self) -> Option<Filter> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Some(Filter {
            flag_key: given(&self.flag_key),
            env_id: match given(&self.env_id) {
                Some(text) => Some(EnvId::parse(&text)?),
                None => None,
            },
            project_id: match given(&self.project_id) {
                Some(text) => Some(ProjectId::parse(&text)?),
                None => None,
            },
        })
    }

    pub fn names_flag(&self) -> bool {
        self.flag_key.as_ref().is_some_and(|key| !key.is_empty())
    }

    pub fn sent(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let filters = [
            ("flag_key", &self.flag_key),
            ("env_id", &self.env_id),
            ("project_id", &self.project_id),
        ];
        filters
            .into_iter()
            .filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}

/// What a series is to be of, as sent. An empty parameter counts as absent.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SpanQuery {
    /// From when on, as a time (RFC 3339) or in seconds of Unix time; by default so long before `to` that there are 60 points of
    /// `1m`, 24 of `1h`, or 30 of `1d`.
    from: Option<String>,
    /// Until when; by default until the end of the step that has begun.
    to: Option<String>,
    /// How long a point is: `1m` (kept for 2 days), `1h` (90 days) or `1d` (2 years); `1h` by default.
    step: Option<String>,
    /// Members by which series are told apart, with commas between: `flag_key`, `env_id`, `value`, `variant_key`, `reason`; all by
    /// default. What differs elsewhere is summed up.
    by: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub step: Step,
    /// Aligned to a step.
    pub(super) from: OffsetDateTime,
    pub(super) to: OffsetDateTime,
    pub(super) by: By,
}

impl SpanQuery {
    /// `of_one_flag` is whether the series are those of one flag.
    pub fn check(self, of_one_flag: bool, now: OffsetDateTime) -> Result<Span, Invalid> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let step = match given(self.step) {
            Some(name) => {
                Step::parse(&name).ok_or_else(|| Invalid::new("step must be 1m, 1h or 1d"))?
            }
            None => Step::Hour,
        };
        // Includes the step in progress.
        let to = moment("to", given(self.to))?.unwrap_or(step.floor(now) + step.length());
        let from = match moment("from", given(self.from))? {
            Some(from) => from,
            None => to.checked_sub(usual(step)).unwrap_or(to),
        };
        if from >= to {
            return Err(Invalid::new("from must be before to"));
        }
        let from = step.floor(from);
        let points = ((to - from) + step.length() - Duration::NANOSECOND).whole_seconds()
            / i64::from(step.seconds());
        if points > 2_000 {
            return Err(Invalid::new("from and to must be at most 2000 steps apart"));
        }
        if !of_one_flag && points > 300 {
            let words = "from and to must be at most 300 steps apart without flag_key";
            return Err(Invalid::new(words));
        }
        let by = match given(self.by) {
            Some(names) => By::parse(&names).ok_or_else(|| {
                Invalid::new("by must list flag_key, env_id, value, variant_key or reason")
            })?,
            None => By::ALL,
        };
        Ok(Span { step, from, to, by })
    }
}

const fn usual(step: Step) -> Duration {
    match step {
        Step::Minute => Duration::hours(1),
        Step::Hour => Duration::days(1),
        Step::Day => Duration::days(30),
    }
}

/// A time within the range of the database.
fn moment(name: &str, text: Option<String>) -> Result<Option<OffsetDateTime>, Invalid> {
    let Some(text) = text else { return Ok(None) };
    let in_unix_time = || OffsetDateTime::from_unix_timestamp(text.parse().ok()?).ok();
    let moment = date_time(&text).or_else(in_unix_time);
    match moment.filter(|moment| (1970..=9999).contains(&moment.year())) {
        Some(moment) => Ok(Some(moment)),
        None => Err(Invalid::new(format!(
            "{name} must be a time (RFC 3339) or seconds of Unix time, from 1970 on"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-05-04 12:34:56 UTC);

    fn check(query: [&str; 3], of_one_flag: bool) -> Result<Span, String> {
        let [from, to, step] = query.map(|text| Some(text.to_owned()));
        let by = None;
        let checked = SpanQuery { from, to, step, by }.check(of_one_flag, NOW);
        checked.map_err(|invalid| invalid.into_message().into_owned())
    }

    #[test]
    fn series_are_told_apart_by_what_is_listed() {
        let by = |names: &str| {
            let by = Some(names.to_owned());
            let query = SpanQuery {
                by,
                ..SpanQuery::default()
            };
            query.check(true, NOW).map(|span| span.by)
        };
        assert_eq!(by("").ok(), Some(By::ALL));
        let all = by("flag_key,env_id, value,variant_key,reason");
        assert_eq!(all.ok(), Some(By::ALL));
        let two = by("env_id,reason").expect("both are there");
        assert!(two.env_id && two.reason && !two.flag_key && !two.value && !two.variant_key);
        for wrong in ["flag", "env_id,", "env_id;reason"] {
            let refused = by(wrong).map_err(|invalid| invalid.into_message().into_owned());
            let words = "by must list flag_key, env_id, value, variant_key or reason";
            assert_eq!(refused, Err(words.to_owned()), "{wrong}");
        }
    }

    #[test]
    fn what_is_absent_has_a_default() {
        for (step, named, from, to) in [
            (
                Step::Minute,
                "1m",
                datetime!(2026-05-04 11:35 UTC),
                datetime!(2026-05-04 12:35 UTC),
            ),
            (
                Step::Hour,
                "",
                datetime!(2026-05-03 13:00 UTC),
                datetime!(2026-05-04 13:00 UTC),
            ),
            (
                Step::Day,
                "1d",
                datetime!(2026-04-05 00:00 UTC),
                datetime!(2026-05-05 00:00 UTC),
            ),
        ] {
            let by = By::ALL;
            let span = Span { step, from, to, by };
            assert_eq!(check(["", "", named], false), Ok(span));
        }
    }

    #[test]
    fn times_are_of_rfc_3339_or_of_unix() {
        let span = Span {
            step: Step::Hour,
            from: datetime!(2026-05-04 10:00 UTC),
            to: datetime!(2026-05-04 11:30 UTC),
            by: By::ALL,
        };
        for (from, to) in [
            ("2026-05-04T10:59:59Z", "2026-05-04T13:30:00+02:00"),
            ("1777889999", "1777894200"),
        ] {
            assert_eq!(check([from, to, "1h"], false), Ok(span), "{from}");
        }
    }

    #[test]
    fn a_span_has_a_beginning_an_end_and_not_too_many_steps() {
        let moment = "must be a time (RFC 3339) or seconds of Unix time, from 1970 on";
        for (query, of_one_flag, refused) in [
            (["", "", "1w"], true, "step must be 1m, 1h or 1d".to_owned()),
            (["yesterday", "", ""], true, format!("from {moment}")),
            (["-1", "", ""], true, format!("from {moment}")),
            (
                ["", "99999999999999999999", ""],
                true,
                format!("to {moment}"),
            ),
            (
                ["1777894200", "1777894200", ""],
                true,
                "from must be before to".to_owned(),
            ),
            (
                ["0", "120060", "1m"],
                true,
                "from and to must be at most 2000 steps apart".to_owned(),
            ),
            (
                ["0", "18060", "1m"],
                false,
                "from and to must be at most 300 steps apart without flag_key".to_owned(),
            ),
        ] {
            assert_eq!(check(query, of_one_flag), Err(refused), "{query:?}");
        }
        assert!(check(["0", "120000", "1m"], true).is_ok());
        assert!(check(["0", "18000", "1m"], false).is_ok());
    }
}
