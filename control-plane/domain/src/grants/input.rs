//! Grants as sent by clients, and the rules for them.

use protocol::objects::Object;
use serde::Deserialize;
use sqlx::types::Json;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use super::model::{Grant, Holder, HolderKind, Hours};
use base::{
    ids::{EnvId, GrantId, UserId},
    input::{Invalid, Name, all_given, date_time, distinct, has_text, in_range, is_longer_than},
};

/// The most tags of a grant.
const MAX_TAGS: usize = 20;
const DAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// The body of a grant's creation, and of its update, which replaces all of it.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GrantInput {
    /// Required.
    #[schema(value_type = String)]
    name: Option<String>,
    /// Required: an environment of the project.
    #[schema(value_type = EnvId)]
    env_id: Option<EnvId>,
    /// Required.
    #[schema(value_type = HolderInput)]
    holder: Option<Object<HolderInput>>,
    /// It holds for flags with one of these tags, at most 20; for all flags when absent or empty.
    tags: Option<Vec<String>>,
    /// By how many basis points percentages may be raised in any `window_seconds`; 0 to 10000, 0 when absent.
    #[schema(value_type = Option<i32>)]
    max_raise: Option<i64>,
    /// 60 to 604800; 3600 when absent.
    #[schema(value_type = Option<i32>)]
    window_seconds: Option<i64>,
    /// Whether percentages may be lowered; `false` when absent.
    lower: Option<bool>,
    /// Whether flags may be switched off by any change, at any time; `false` when absent.
    kill: Option<bool>,
    /// When percentages may be moved; at any time when absent or `null`.
    #[schema(value_type = Option<HoursInput>)]
    hours: Option<Object<HoursInput>>,
    /// When it ends; never when absent or `null`.
    #[schema(value_type = Option<String>, format = DateTime)]
    ends_at: Option<String>,
}

/// Who is to hold a grant.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = GrantHolderInput)]
pub struct HolderInput {
    /// Required.
    #[schema(value_type = HolderKind)]
    kind: Option<String>,
    /// Required: the id of the membership, the custom role or the access token.
    #[schema(value_type = Uuid)]
    id: Option<Uuid>,
}

/// Days and hours on the clocks of a time zone.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = GrantHoursInput)]
pub struct HoursInput {
    /// `monday` to `sunday`; monday to friday when absent.
    days: Option<Vec<String>>,
    /// Such as `09:00`; `00:00` when absent.
    from: Option<String>,
    /// Later than `from`, at most `24:00`, which it is when absent.
    until: Option<String>,
    /// A name of the time zone database, such as `Europe/Berlin`; `UTC` when absent.
    time_zone: Option<String>,
}

/// A checked body.
#[derive(Clone, Debug)]
pub struct GrantWish {
    name: String,
    pub env_id: EnvId,
    pub holder: Holder,
    tags: Vec<String>,
    max_raise: i32,
    window_seconds: i32,
    lower: bool,
    kill: bool,
    pub hours: Option<Hours>,
    pub ends_at: Option<OffsetDateTime>,
}

impl GrantInput {
    pub fn check(self) -> Result<GrantWish, Invalid> {
        all_given([
            ("name", has_text(&self.name)),
            ("env_id", self.env_id.is_some()),
            ("holder", self.holder.is_some()),
        ])?;
        let missing = |field: &str| Invalid::new(format!("{field} is required"));
        let number = |field, given: Option<i64>, from, to, absent: i64| {
            let number = in_range(field, given.unwrap_or(absent), from, to)?;
            i32::try_from(number).map_err(|_| missing(field))
        };
        let wish = GrantWish {
            name: Name::parse(self.name)?.into(),
            env_id: self.env_id.ok_or_else(|| missing("env_id"))?,
            holder: self.holder.ok_or_else(|| missing("holder"))?.0.check()?,
            tags: checked_tags(self.tags.unwrap_or_default())?,
            max_raise: number("max_raise", self.max_raise, 0, 10_000, 0)?,
            window_seconds: number("window_seconds", self.window_seconds, 60, 604_800, 3_600)?,
            lower: self.lower.unwrap_or(false),
            kill: self.kill.unwrap_or(false),
            hours: self.hours.map(|hours| hours.0.check()).transpose()?,
            ends_at: self.ends_at.as_deref().map(checked_end).transpose()?,
        };
        if wish.max_raise == 0 && !wish.lower && !wish.kill {
            return Err(Invalid::new(
                "a grant allows something: max_raise, lower or kill",
            ));
        }
        Ok(wish)
    }
}

impl HolderInput {
    fn check(self) -> Result<Holder, Invalid> {
        let kind = match self.kind.as_deref() {
            Some("member") => HolderKind::Member,
            Some("role") => HolderKind::Role,
            Some("access_token") => HolderKind::AccessToken,
            _ => {
                return Err(Invalid::new(
                    "holder.kind must be member, role or access_token",
                ));
            }
        };
        let id = self
            .id
            .ok_or_else(|| Invalid::new("holder.id is required"))?;
        Ok(Holder { kind, id })
    }
}

impl HoursInput {
    fn check(self) -> Result<Hours, Invalid> {
        let weekdays = || DAYS[..5].iter().map(|&day| day.to_owned()).collect();
        let given = self.days.unwrap_or_else(weekdays);
        if given.is_empty() || given.iter().any(|day| !DAYS.contains(&day.as_str())) {
            return Err(Invalid::new(
                "hours.days must be some of monday, tuesday, wednesday, thursday, friday, saturday and sunday",
            ));
        }
        let days = DAYS
            .iter()
            .filter(|&&day| given.iter().any(|one| one == day));
        let from = self.from.unwrap_or_else(|| "00:00".to_owned());
        let until = self.until.unwrap_or_else(|| "24:00".to_owned());
        if !is_time(&from) || !(is_time(&until) || until == "24:00") || from >= until {
            return Err(Invalid::new(
                "hours.from and hours.until must be times such as 09:00, until (at most 24:00) the later one",
            ));
        }
        let time_zone = self.time_zone.unwrap_or_else(|| "UTC".to_owned());
        if is_longer_than(&time_zone, 64) {
            return Err(unknown_zone());
        }
        Ok(Hours {
            days: days.map(|&day| day.to_owned()).collect(),
            from,
            until,
            time_zone,
        })
    }
}

impl GrantWish {
    pub fn create(self, given_by: UserId, now: OffsetDateTime) -> Grant {
        Grant {
            id: GrantId::new(now),
            env_id: self.env_id,
            name: self.name,
            holder: self.holder,
            tags: self.tags,
            max_raise: self.max_raise,
            window_seconds: self.window_seconds,
            lower: self.lower,
            kill: self.kill,
            hours: self.hours.map(Json),
            ends_at: self.ends_at,
            given_by,
            created_at: now,
            version: 1,
        }
    }

    pub fn replace(self, before: &Grant, given_by: UserId) -> Grant {
        Grant {
            id: before.id,
            version: before.version,
            ..self.create(given_by, before.created_at)
        }
    }
}

fn checked_tags(tags: Vec<String>) -> Result<Vec<String>, Invalid> {
    distinct(tags, MAX_TAGS, "tags must have at most 20 items", |tag| {
        if tag.trim().is_empty() || is_longer_than(tag, 64) {
            return Err(Invalid::new("a tag must have 1 to 64 characters"));
        }
        Ok(())
    })
}

fn checked_end(text: &str) -> Result<OffsetDateTime, Invalid> {
    date_time(text).ok_or_else(|| Invalid::new("ends_at must be a date-time (RFC 3339)"))
}

pub fn unknown_zone() -> Invalid {
    Invalid::new("hours.time_zone must be a name of the time zone database, such as Europe/Berlin")
}

/// Whether it is a time such as `09:00`.
fn is_time(text: &str) -> bool {
    let [tens, ones, b':', minutes, last] = text.as_bytes() else {
        return false;
    };
    [tens, ones, minutes, last]
        .iter()
        .all(|digit| digit.is_ascii_digit())
        && *minutes <= b'5'
        && [*tens, *ones] < *b"24"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(from: &str, until: &str, days: &[&str]) -> Result<Hours, Invalid> {
        let input = HoursInput {
            days: Some(days.iter().map(|&day| day.to_owned()).collect()),
            from: Some(from.to_owned()),
            until: Some(until.to_owned()),
            time_zone: None,
        };
        input.check()
    }

    #[test]
    fn hours_are_within_a_day_and_days_in_their_order() {
        let checked = hours("09:00", "24:00", &["sunday", "monday", "sunday"]).unwrap();
        assert_eq!(checked.days, ["monday", "sunday"]);
        for (from, until) in [
            ("09:00", "09:00"),
            ("17:00", "09:00"),
            ("9:00", "17:00"),
            ("09:60", "17:00"),
            ("24:00", "24:00"),
            ("09:00", "24:01"),
            ("09-00", "17:00"),
        ] {
            assert!(hours(from, until, &["monday"]).is_err(), "{from} {until}");
        }
        for days in [&[][..], &["Monday"], &["monday", "someday"]] {
            assert!(hours("09:00", "17:00", days).is_err(), "{days:?}");
        }
    }
}
