//! Sessions as users and browsers see them: the list of one's own, and the session of a page, whose refresh token is in an
//! HttpOnly cookie. Their lifecycle is in [`crate::accounts`].

pub mod model;
mod store;

use serving::page::{Page, Paged};
use time::OffsetDateTime;

use self::model::Session;
use crate::members::caller::Caller;
use base::{
    db::{self, Db},
    ids::FamilyId,
};

/// The caller's sessions, in all organizations.
pub async fn page(
    db: &Db,
    caller: &Caller,
    family_id: FamilyId,
    page: Page,
    now: OffsetDateTime,
) -> db::Result<Paged<Session>> {
    let mut conn = db.acquire().await?;
    store::page(&mut conn, caller.user_id, family_id, page, now).await
}
