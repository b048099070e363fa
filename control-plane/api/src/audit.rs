//! Reading the audit log.

use axum::Json;
use serde::Deserialize;
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::Query,
};
use time::OffsetDateTime;

use crate::http::{AnyRole, Routes, endpoints};
use base::{
    ids::{AuditEntryId, EnvId, ProjectId, UserId},
    input::{Invalid, date_time},
};
use domain::{
    audit::{
        model::{AuditActions, AuditEntry, Filter},
        paging,
    },
    roles::keys::AuditRead,
};

pub fn router() -> Routes {
    endpoints![list, actions]
}

/// Filters as sent. Empty ones count as absent.
#[derive(Debug, Deserialize)]
struct RawFilter {
    project_id: Option<String>,
    action: Option<String>,
    resource_type: Option<String>,
    resource_id: Option<String>,
    actor_id: Option<String>,
    env_id: Option<String>,
    from: Option<String>,
    to: Option<String>,
    before: Option<String>,
}

impl RawFilter {
    /// `None` if nothing can match, because a text is not an id. Malformed times are refused.
    fn read(self) -> Result<Option<Filter>, Invalid> {
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

/// Lists the changes in the organization, with their actors. A filter without a valid value, such as an id that is not a UUID,
/// matches no entry. `total` is counted up to 10,000; where there are more, it is the number known so far.
#[utoipa::path(
    get,
    path = "/v1/audit",
    operation_id = "listAuditEntries",
    tag = "audit",
    params(
        ("project_id" = Option<String>, Query, description = "entries of a project, deleted or not"),
        ("action" = Option<String>, Query, description = "entries with this action, such as `flag.killed`"),
        ("resource_type" = Option<String>, Query, description = "entries whose action begins with this word, such as `flag`"),
        ("resource_id" = Option<String>, Query, description = "entries about a thing"),
        ("actor_id" = Option<String>, Query, description = "entries of a user, a SCIM token or an API key"),
        ("env_id" = Option<String>, Query, description = "entries about an environment, or about a state, an API key or a request for approval in it"),
        ("from" = Option<String>, Query, description = "entries from this time on, which is an RFC 3339 date-time"),
        ("to" = Option<String>, Query, description = "entries from before this time, which is an RFC 3339 date-time"),
        ("before" = Option<String>, Query, description = "entries older than this one, by its id; for old entries this is much faster than an offset"),
        Page,
    ),
    responses(
        (status = 200, description = "newest first", body = Paged<AuditEntry>),
        (status = 429, description = "too many slow pages at once: beyond an offset of 100,000, or with several filters"),
    )
)]
async fn list(
    caller: AnyRole<AuditRead>,
    Query(filter): Query<RawFilter>,
    page: Page,
) -> Result<Json<Paged<AuditEntry>>, ApiError> {
    let Some(filter) = filter.read()? else {
        return Ok(Json(Paged::new(Vec::new(), 0, page)));
    };
    let entries =
        paging::page(&caller.db, &caller.long_pages, caller.org_id, &filter, page).await?;
    Ok(Json(entries))
}

/// Lists the actions that entries of the audit log may have, each with its meaning.
#[utoipa::path(
    get,
    path = "/v1/audit/actions",
    operation_id = "listAuditActions",
    tag = "audit",
    responses((status = 200, description = "by type of resource", body = AuditActions))
)]
async fn actions(_: AnyRole<AuditRead>) -> Json<AuditActions> {
    Json(AuditActions::all())
}
