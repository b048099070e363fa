//! The endpoints of SCIM users.

use axum::http::StatusCode;
use serving::params::{Path, Query};

use super::{
    ScimError,
    document::{ScimPatch, ScimUserInput, ScimUserList},
    message::{Scim, ScimBody, Shown},
    query::{Listing, View},
};
use crate::http::{Routes, ScimClient, endpoints};
use base::ids::UserId;
use domain::scim::{change, input::Wanted, patch::Edits, resource::UserResource, schemas, store};

pub(super) fn router() -> Routes {
    endpoints![list, create, show, replace, patch, remove]
}

type Answer<T> = Result<T, ScimError>;

/// Lists the users: members, and people whom the identity provider has described.
#[utoipa::path(
    get,
    path = "/v1/scim/Users",
    operation_id = "listScimUsers",
    tag = "scim",
    params(Listing),
    responses((status = 200, description = "a list response, in creation order", body = ScimUserList, content_type = "application/scim+json"))
)]
async fn list(client: ScimClient, Query(listing): Query<Listing>) -> Answer<Scim> {
    let projection = listing.projection()?;
    let page = listing.page();
    let (users, total) = match listing.filter()? {
        Some(filter) => {
            let mut conn = client.db.acquire().await?;
            store::list(&mut conn, client.org_id, &filter, page).await?
        }
        None => (Vec::new(), 0),
    };
    let resources = users.iter().map(|user| {
        let shown = Shown::new(&client, user, &projection);
        shown.into_resource()
    });
    let start_index = page.offset + 1;
    Ok(Scim(schemas::list(total, start_index, resources.collect())))
}

/// Provisions a user. A person with an account becomes a member with it. A user that exists is returned, and is active from then on
/// unless the body sets `active` to false. An account whose password was never proven is not active before that.
#[utoipa::path(
    post,
    path = "/v1/scim/Users",
    operation_id = "createScimUser",
    tag = "scim",
    params(View),
    request_body(content = ScimUserInput, content_type = "application/scim+json"),
    responses(
        (status = 200, description = "the user exists already", body = UserResource, content_type = "application/scim+json"),
        (status = 201, description = "created", body = UserResource, content_type = "application/scim+json"),
        (status = 402, description = "the plan allows no more members"),
        (status = 403, description = "the member who created the token may not manage members with this role"),
        (status = 409, description = "the last owner, or the address of another user"),
    )
)]
async fn create(
    client: ScimClient,
    Query(view): Query<View>,
    body: ScimBody,
) -> Answer<(StatusCode, Shown)> {
    let projection = view.projection()?;
    let new = Wanted::check(body.fields().await?)?.into_new()?;
    let role = client.default_role;
    let provisioned = client
        .write(async |org, acting| change::provision(org, acting, new, role).await)
        .await?;
    let status = if provisioned.is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, Shown::new(&client, &provisioned.user, &projection)))
}

/// Shows a user.
#[utoipa::path(
    get,
    path = "/v1/scim/Users/{userID}",
    operation_id = "getScimUser",
    tag = "scim",
    params(("userID" = UserId, Path), View),
    responses(
        (status = 200, description = "the user", body = UserResource, content_type = "application/scim+json"),
        (status = 404, description = "unknown, or removed"),
    )
)]
async fn show(
    client: ScimClient,
    Path(user_id): Path<UserId>,
    Query(view): Query<View>,
) -> Answer<Shown> {
    let projection = view.projection()?;
    let user = client.user(user_id).await?;
    Ok(Shown::new(&client, &user, &projection))
}

/// Replaces a user. `active` false ends the membership and the user's sessions at once; `active` true restores it.
#[utoipa::path(
    put,
    path = "/v1/scim/Users/{userID}",
    operation_id = "replaceScimUser",
    tag = "scim",
    params(("userID" = UserId, Path), View),
    request_body(content = ScimUserInput, content_type = "application/scim+json"),
    responses(
        (status = 200, description = "replaced", body = UserResource, content_type = "application/scim+json"),
        (status = 402, description = "the plan allows no more members"),
        (status = 403, description = "the member who created the token may not manage members with this role"),
        (status = 404, description = "unknown, or removed"),
        (status = 409, description = "the name of another user, or the last owner"),
    )
)]
async fn replace(
    client: ScimClient,
    Path(user_id): Path<UserId>,
    Query(view): Query<View>,
    body: ScimBody,
) -> Answer<Shown> {
    client.user(user_id).await?;
    let projection = view.projection()?;
    let wanted = Wanted::check(body.fields().await?)?;
    let role = client.default_role;
    let user = client
        .write_account(user_id, async |org, acting| {
            change::replace(org, acting, user_id, wanted, role).await
        })
        .await?;
    Ok(Shown::new(&client, &user, &projection))
}

/// Makes all operations of the body, or none.
#[utoipa::path(
    patch,
    path = "/v1/scim/Users/{userID}",
    operation_id = "patchScimUser",
    tag = "scim",
    params(("userID" = UserId, Path), View),
    request_body(content = ScimPatch, description = "a PatchOp message", content_type = "application/scim+json"),
    responses(
        (status = 200, description = "changed", body = UserResource, content_type = "application/scim+json"),
        (status = 402, description = "the plan allows no more members"),
        (status = 403, description = "the member who created the token may not manage members with this role"),
        (status = 404, description = "unknown, or removed"),
        (status = 409, description = "the name of another user, or the last owner"),
    )
)]
async fn patch(
    client: ScimClient,
    Path(user_id): Path<UserId>,
    Query(view): Query<View>,
    body: ScimBody,
) -> Answer<Shown> {
    client.user(user_id).await?;
    let projection = view.projection()?;
    let edits = Edits::check(body.fields().await?)?;
    let role = client.default_role;
    let user = client
        .write_account(user_id, async |org, acting| {
            change::edit(org, acting, user_id, edits, role).await
        })
        .await?;
    Ok(Shown::new(&client, &user, &projection))
}

/// Removes a user and their membership. The account stays.
#[utoipa::path(
    delete,
    path = "/v1/scim/Users/{userID}",
    operation_id = "removeScimUser",
    tag = "scim",
    params(("userID" = UserId, Path)),
    responses(
        (status = 204, description = "removed"),
        (status = 403, description = "the member who created the token may not manage members with this role"),
        (status = 404, description = "unknown, or removed before"),
        (status = 409, description = "the last owner"),
    )
)]
async fn remove(client: ScimClient, Path(user_id): Path<UserId>) -> Answer<StatusCode> {
    client
        .write(async |org, acting| change::remove(org, acting, user_id).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
