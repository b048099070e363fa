//! Reading the audit log.

use axum::{
    Json,
    extract::RawQuery,
    http::{
        HeaderMap, HeaderValue,
        header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_TYPE, LINK},
    },
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::Query,
};
use time::OffsetDateTime;
use url::form_urlencoded;

use crate::http::{Access, AnyRole, Routes, endpoints};
use base::{
    ids::{AuditEntryId, EnvId, MemberId, ProjectId, UserId},
    input::{Invalid, date_time},
    refusal::Refusal,
};
use domain::{
    audit::{
        export::Part,
        model::{AuditActions, AuditEntry, Filter},
        paging,
        store::search::Words,
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
    q: Option<String>,
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

/// Lists the changes in the organization, with their actors. A filter without a valid value, such as an id that is not a UUID,
/// matches no entry. `total` is counted up to 10,000; where there are more, it is the number known so far.
///
/// With `Accept: text/csv` the answer is CSV: up to 1,000 entries or 2 MiB, without `limit` and `offset`, and a `Link` to the next
/// part if there is one. A cell that a spreadsheet would take for a formula begins with an apostrophe.
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
        ("actor_id" = Option<String>, Query, description = "entries of a user or a member, a SCIM token or an API key"),
        ("env_id" = Option<String>, Query, description = "entries about an environment, or about a state, an API key or a request for approval in it"),
        ("from" = Option<String>, Query, description = "entries from this time on, which is an RFC 3339 date-time"),
        ("to" = Option<String>, Query, description = "entries from before this time, which is an RFC 3339 date-time"),
        ("before" = Option<String>, Query, description = "entries older than this one, by its id; for old entries this is much faster than an offset"),
        ("q" = Option<String>, Query, description = "entries with all of these words, at most 5: in the name of an action, the name or address of an actor, the key or name of a thing, or an id"),
        Page,
    ),
    responses(
        (status = 200, description = "newest first", body = Paged<AuditEntry>),
        (status = 429, description = "too many slow pages at once: beyond an offset of 100,000, with several filters or words, or as CSV"),
    )
)]
async fn list(
    caller: AnyRole<AuditRead>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    Query(filter): Query<RawFilter>,
    page: Page,
) -> Result<Response, ApiError> {
    let is_csv = wants_csv(&headers);
    let words = Words::parse(filter.q.as_deref().unwrap_or_default())?;
    let Some(mut filter) = filter.read()? else {
        let none = Json(Paged::<AuditEntry>::new(Vec::new(), 0, page));
        return Ok(if is_csv {
            csv(Part::default(), None)
        } else {
            none.into_response()
        });
    };
    filter.actor_id = user_of(&caller, filter.actor_id).await?;
    let (db, org_id) = (&caller.db, caller.org_id);
    if is_csv {
        let (part, has_more) =
            paging::export(db, &caller.heavy_pages, org_id, filter, &words).await?;
        let next = part.last.filter(|_| has_more);
        let next = next.map(|last| next_part(query.as_deref().unwrap_or_default(), last));
        return Ok(csv(part, next));
    }
    let places = if words.is_empty() {
        &caller.long_pages
    } else {
        &caller.heavy_pages
    };
    let entries = paging::page(db, places, org_id, filter, &words, page).await?;
    Ok(Json(entries).into_response())
}

/// A user, whom the id of their membership names too: lists of members have no other.
async fn user_of(caller: &Access, id: Option<UserId>) -> Result<Option<UserId>, ApiError> {
    let Some(member_id) = id.and_then(|id| MemberId::parse(&id.to_string())) else {
        return Ok(id);
    };
    match caller.member(member_id).await {
        Ok(member) => Ok(Some(member.user_id)),
        Err(Refusal::Gone(_)) => Ok(id),
        Err(refusal) => Err(refusal.into()),
    }
}

/// Whether CSV is asked for by name.
fn wants_csv(headers: &HeaderMap) -> bool {
    let lines = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|line| line.to_str().ok());
    let mut types = lines.flat_map(|line| line.split(','));
    types.any(|one| {
        let name = one.split(';').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case("text/csv")
    })
}

/// The address of the part after an entry, with the same filters.
fn next_part(query: &str, last: AuditEntryId) -> String {
    let given = form_urlencoded::parse(query.as_bytes());
    let next = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given.filter(|(name, _)| name != "before"))
        .append_pair("before", &last.to_string())
        .finish();
    format!("</v1/audit?{next}>; rel=\"next\"")
}

fn csv(part: Part, next: Option<String>) -> Response {
    let kind = (CONTENT_TYPE, "text/csv; charset=utf-8; header=present");
    let name = (CONTENT_DISPOSITION, "attachment; filename=\"audit.csv\"");
    let mut response = ([kind, name], part.text).into_response();
    if let Some(next) = next.and_then(|next| HeaderValue::try_from(next).ok()) {
        response.headers_mut().insert(LINK, next);
    }
    response
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
