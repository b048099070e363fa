//! The members of an organization with what managing them needs: sign-ins, second factors, permissions in environments.

pub mod model;
mod store;

use serving::page::{Page, Paged};

use self::model::{Filter, TeamMember};
use crate::{
    members::caller::Caller,
    roles::keys::{MembersManage, Permission},
};
use base::{
    db::{self, Db},
    ids::ProjectId,
};

/// A page of members, with their permissions in the environments of a project.
pub async fn page(
    db: &Db,
    caller: &Caller,
    filter: &Filter,
    project_id: Option<ProjectId>,
    page: Page,
) -> db::Result<Paged<TeamMember>> {
    let is_manager = caller.role.is_manager() && caller.require(MembersManage::NEEDS).is_ok();
    let viewer = store::Viewer {
        org_id: caller.org_id,
        member_id: caller.member_id,
        is_manager,
    };
    let mut conn = db.begin_reading().await?;
    let (mut members, total) = store::page(&mut conn, viewer, filter, page).await?;
    if let Some(project_id) = project_id {
        store::add_permissions(&mut conn, caller.org_id, project_id, &mut members).await?;
    }
    Ok(Paged::new(members, total, page))
}
