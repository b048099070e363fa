//! The signed-in user: their account, their permissions in the current organization, and their other memberships.

pub mod model;
mod store;

use time::OffsetDateTime;

use self::model::{Features, Me};
use crate::{
    access_tokens,
    accounts::store::users,
    members::{self, caller::Caller, permissions},
    mfa, orgs,
    roles::keys::{Permission, ProjectsRead},
};
use base::{config::UrlSettings, db::Db, refusal::Refusal};

/// Reads it from one snapshot.
pub async fn read(
    db: &Db,
    caller: &Caller,
    urls: &UrlSettings,
    now: OffsetDateTime,
) -> Result<Me, Refusal> {
    let (org_id, user_id, member_id) = (caller.org_id, caller.user_id, caller.member_id);
    let mut conn = db.begin_reading().await?;
    // The member may have just been removed.
    let member = members::store::find(&mut conn, org_id, member_id).await?;
    let member = member.ok_or(Refusal::INVALID_TOKEN)?;
    let mut organization = orgs::store::get(&mut conn, org_id).await?;
    organization.plan = organization.plan.at(organization.trial_expires_at, now);
    let role = member.role.at_most(caller.role);
    let permissions = model::permissions(role, caller.permissions.as_deref());
    let projects = if caller.require(ProjectsRead::NEEDS).is_ok() {
        let mut projects = store::list_projects(&mut conn, org_id).await?;
        projects.retain(|project| caller.check_project(project.id).is_ok());
        projects
    } else {
        Vec::new()
    };
    let environment_permissions = permissions::store::list(&mut conn, org_id, member_id).await?;
    let access_token = match caller.scope() {
        Some(scope) => {
            access_tokens::store::find(&mut conn, org_id, user_id, scope.token_id).await?
        }
        None => None,
    };
    Ok(Me {
        data_region: orgs::store::get_data_region(&mut conn, org_id).await?,
        user: users::get(&mut conn, user_id).await?,
        role,
        custom_role_id: member.custom_role_id,
        permissions,
        environment_permissions: environment_permissions
            .into_iter()
            .map(Into::into)
            .collect(),
        features: Features::of(organization.plan),
        mfa_enabled: mfa::store::find_enrolled_at(&mut conn, user_id)
            .await?
            .is_some(),
        organizations: store::list_organizations(&mut conn, user_id).await?,
        projects,
        edge_url: urls.edge.clone(),
        access_token,
        organization,
    })
}
