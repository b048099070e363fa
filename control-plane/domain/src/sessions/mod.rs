//! Sessions as people and their browsers see them: the list of one's own, and the session of a page, whose refresh token is in a
//! cookie that no script reads. What a session is, and how it goes on and ends, is in [`crate::accounts`].

pub mod model;
mod store;

use serving::page::{Page, Paged};
use time::OffsetDateTime;

use self::model::Session;
use crate::members::caller::Caller;
use base::db::{self, Db};

/// The sessions of whoever calls, in all organizations.
pub async fn page(
    db: &Db,
    caller: &Caller,
    page: Page,
    now: OffsetDateTime,
) -> db::Result<Paged<Session>> {
    let mut conn = db.acquire().await?;
    store::page(&mut conn, caller.user_id, caller.family_id, page, now).await
}
