//! Access tokens as sent by clients, and the rules for them.

use std::collections::BTreeSet;

use serde::Deserialize;
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use crate::members::model::Role;
use base::{
    ids::{EnvId, ProjectId},
    input::{Invalid, Name, date_time, in_range},
};

/// The longest that a token may last.
const LONGEST: Duration = Duration::days(365);
/// How long a token lasts whose end is not given.
const USUAL: Duration = Duration::days(90);
/// The most projects, and environments, that a token may name.
const LISTED: usize = 100;

/// The body of a token's creation.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewAccessToken)]
pub struct CreateToken {
    /// Required.
    #[schema(value_type = String)]
    name: Option<String>,
    /// At most 365 days from now; 90 days when absent.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<String>,
    /// The most that it may do, at most one's own role; all that one may oneself when absent.
    #[schema(value_type = Option<Role>)]
    role: Option<String>,
    /// The projects that it is limited to, at most 100; all when absent.
    project_ids: Option<Vec<ProjectId>>,
    /// The environments that it is limited to, at most 100, each of one of the projects; all when absent.
    env_ids: Option<Vec<EnvId>>,
    /// Whether it only reads; `false` when absent.
    read_only: Option<bool>,
}

#[derive(Debug)]
pub struct NewToken {
    pub name: Name,
    pub expires_at: OffsetDateTime,
    pub role: Option<Role>,
    pub project_ids: Option<Vec<ProjectId>>,
    pub env_ids: Option<Vec<EnvId>>,
    pub read_only: bool,
}

impl CreateToken {
    pub fn check(self, now: OffsetDateTime) -> Result<NewToken, Invalid> {
        Ok(NewToken {
            name: Name::parse(self.name)?,
            expires_at: match self.expires_at {
                Some(text) => end(&text, now)?,
                None => now + USUAL,
            },
            role: self.role.map(|role| Role::parse(&role)).transpose()?,
            project_ids: listed("project_ids", self.project_ids)?,
            env_ids: listed("env_ids", self.env_ids)?,
            read_only: self.read_only.unwrap_or(false),
        })
    }
}

/// The body of a rotation.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = AccessTokenRotation)]
pub struct RotateToken {
    /// How long the old token goes on; 0 to 168, 24 when absent.
    overlap_hours: Option<i64>,
}

impl RotateToken {
    pub fn check(self) -> Result<Duration, Invalid> {
        let hours = self.overlap_hours.unwrap_or(24);
        in_range("overlap_hours", hours, 0, 168).map(Duration::hours)
    }
}

fn end(text: &str, now: OffsetDateTime) -> Result<OffsetDateTime, Invalid> {
    date_time(text)
        .filter(|end| *end > now && *end <= now + LONGEST)
        .ok_or_else(|| {
            Invalid::new("expires_at must be a date-time (RFC 3339) within the next 365 days")
        })
}

/// A list of ids without repetitions, in their order.
fn listed<I: Ord>(field: &str, ids: Option<Vec<I>>) -> Result<Option<Vec<I>>, Invalid> {
    let Some(ids) = ids else {
        return Ok(None);
    };
    if ids.is_empty() || ids.len() > LISTED {
        return Err(Invalid::new(format!(
            "{field} must have 1 to {LISTED} ids, or be left out for all"
        )));
    }
    let ids: BTreeSet<I> = ids.into_iter().collect();
    Ok(Some(ids.into_iter().collect()))
}
