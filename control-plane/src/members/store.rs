//! SQL of memberships.

use sqlx::PgConnection;

use super::model::Role;
use crate::{
    db,
    ids::{FamilyId, MemberId, OrgId, UserId},
};

/// What a live token family stands for now.
#[derive(Debug)]
pub struct LiveMember {
    /// The membership.
    pub id: MemberId,
    /// The role at this moment, which may differ from the token's.
    pub role: Role,
}

/// The membership behind a token, read at each request: removal, demotion and logout act at once, on every replica.
/// `None` when the family is revoked or the membership gone.
///
/// # Errors
/// When the database fails.
pub async fn find_live(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    family_id: FamilyId,
) -> db::Result<Option<LiveMember>> {
    Ok(sqlx::query_as!(
        LiveMember,
        "SELECT members.id, members.role
         FROM members
         JOIN token_families
             ON token_families.org_id = members.org_id AND token_families.user_id = members.user_id
         WHERE members.org_id = $1
             AND members.user_id = $2
             AND token_families.id = $3
             AND token_families.revoked_at IS NULL",
        org_id as OrgId,
        user_id as UserId,
        family_id as FamilyId,
    )
    .fetch_optional(conn)
    .await?)
}
