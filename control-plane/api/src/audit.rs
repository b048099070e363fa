//! Reading the audit log.

mod annotations;
mod filter;

use axum::{
    Json,
    extract::RawQuery,
    http::{
        HeaderMap, HeaderValue,
        header::{ACCEPT, CONTENT_DISPOSITION, CONTENT_TYPE, LINK},
    },
    response::{IntoResponse, Response},
};
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::Query,
};
use url::form_urlencoded;

use self::filter::RawFilter;
use crate::http::{Access, AnyRole, Routes, endpoints};
use base::{
    ids::{AuditEntryId, MemberId, UserId},
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
    endpoints![list, actions, annotations::list]
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
    params(RawFilter, Page),
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
    Ok(Json(page_of(&caller, filter, &words, page).await?).into_response())
}

async fn page_of(
    caller: &Access,
    filter: Filter,
    words: &Words,
    page: Page,
) -> Result<Paged<AuditEntry>, ApiError> {
    let places = if words.is_empty() {
        &caller.long_pages
    } else {
        &caller.heavy_pages
    };
    paging::page(&caller.db, places, caller.org_id, filter, words, page).await
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
