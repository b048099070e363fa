//! The filters of the audit log, as query parameters.

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::IntoParams;

use base::{
    ids::{AuditEntryId, EnvId, ProjectId, UserId},
    input::{Invalid, date_time},
};
use domain::audit::model::Filter;

/// Filters as sent. Empty ones count as absent.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RawFilter {
    /// entries of a project, deleted or not
    project_id: Option<String>,
    /// entries with this action, such as `flag.killed`
    action: Option<String>,
    /// entries whose action begins with this word, such as `flag`
    resource_type: Option<String>,
    /// entries about a thing
    resource_id: Option<String>,
    /// entries of a user or a member, a SCIM token or an API key
    actor_id: Option<String>,
    /// entries about an environment, or about a state, an API key or a request for approval in it
    env_id: Option<String>,
    /// entries from this time on, which is an RFC 3339 date-time
    from: Option<String>,
    /// entries from before this time, which is an RFC 3339 date-time
    to: Option<String>,
    /// entries older than this one, by its id; for old entries this is much faster than an offset
    before: Option<String>,
    /// entries with all of these words, at most 5: in the name of an action, the name or address of an actor, the key or name of a thing, or an id
    pub(super) q: Option<String>,
}

impl RawFilter {
    /// `None` if nothing can match, because a text is not an id. Malformed times are refused.
    pub(super) fn read(self) -> Result<Option<Filter>, Invalid> {
        let from = time("from", self.from.as_deref())?;
        let to = time("to", self.to.as_deref())?;
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(Invalid::new("from must not be later than to"));
        }
        Ok(self.read_ids(from, to))
    }

    fn read_ids(self, from: Option<OffsetDateTime>, to: Option<OffsetDateTime>) -> Option<Filter> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        Some(Filter {
            from,
            to,
            project_id: match given(self.project_id) {
                Some(text) => Some(ProjectId::parse(&text)?),
                None => None,
            },
            env_id: match given(self.env_id) {
                Some(text) => Some(EnvId::parse(&text)?),
                None => None,
            },
            action: given(self.action),
            resource_type: given(self.resource_type),
            // Ids are stored in lower case and may be given in either.
            resource_id: given(self.resource_id).map(|text| text.to_ascii_lowercase()),
            actor_id: match given(self.actor_id) {
                Some(text) => Some(UserId::parse(&text)?),
                None => None,
            },
            before: match given(self.before) {
                Some(text) => Some(AuditEntryId::parse(&text)?),
                None => None,
            },
            meant: Vec::new(),
        })
    }
}

fn time(field: &str, text: Option<&str>) -> Result<Option<OffsetDateTime>, Invalid> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    match date_time(text) {
        Some(time) => Ok(Some(time)),
        None => Err(Invalid::new(format!(
            "{field} must be an RFC 3339 date-time"
        ))),
    }
}
