//! The endpoint of the team's list.

use axum::Json;
use serde::Deserialize;
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::Query,
};

use crate::http::{AnyRole, Routes, endpoints};
use base::{
    ids::{CustomRoleId, MemberId},
    named::ProjectRef,
};
use domain::{
    roles::keys::MembersRead,
    team::{
        self,
        model::{Filter, TeamMember},
    },
};

pub fn router() -> Routes {
    endpoints![list]
}

/// Filters as sent. Empty ones count as absent.
#[derive(Debug, Deserialize)]
struct RawFilter {
    q: Option<String>,
    member_id: Option<String>,
    custom_role_id: Option<String>,
    project_id: Option<String>,
}

/// Lists the members with their sign-ins, and with their permissions in the environments of a project.
///
/// Those who may not manage members see sign-ins and the second factor of nobody but themselves.
#[utoipa::path(
    get,
    path = "/v1/team",
    operation_id = "listTeam",
    tag = "members",
    params(
        Page,
        ("q" = Option<String>, Query, description = "words that are all in the name or the address, in any case; at most 200 characters"),
        ("member_id" = Option<String>, Query, description = "only this member"),
        ("custom_role_id" = Option<String>, Query, description = "only members whom this role restricts"),
        ("project_id" = Option<String>, Query, description = "the project, by id or slug, of whose environments `permissions` are shown"),
    ),
    responses(
        (status = 200, description = "in the order in which they were added", body = Paged<TeamMember>),
        (status = 404, description = "unknown project"),
    )
)]
async fn list(
    caller: AnyRole<MembersRead>,
    Query(asked): Query<RawFilter>,
    page: Page,
) -> Result<Json<Paged<TeamMember>>, ApiError> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let (member, role) = (given(asked.member_id), given(asked.custom_role_id));
    let member_id = member.as_deref().map(MemberId::parse);
    let role_id = role.as_deref().map(CustomRoleId::parse);
    if member_id == Some(None) || role_id == Some(None) {
        // A text that is not an id names nothing.
        return Ok(Json(Paged::new(Vec::new(), 0, page)));
    }
    let text = asked.q.unwrap_or_default();
    let filter = Filter::of(&text, member_id.flatten(), role_id.flatten())?;
    let project_id = match given(asked.project_id) {
        Some(text) => {
            let id = caller.project_id(&ProjectRef::parse(&text)).await?;
            Some(caller.project(id).await?.id)
        }
        None => None,
    };
    // A search reads every name of the organization.
    let _place = match filter.is_empty() {
        true => None,
        false => Some(caller.long_pages.enter(caller.org_id).await?),
    };
    let team = team::page(&caller.db, &caller, &filter, project_id, page).await?;
    Ok(Json(team))
}
