//! The use of a token after its end, which may be a leaked one.

use std::net::IpAddr;

use time::OffsetDateTime;

use super::store;
use crate::events::{self, Action, Actor, Event, Subject};
use base::{
    db::{self, Db},
    ids::{AccessTokenId, OrgId},
};

/// Records the use in the audit log, at most once a day for each token.
pub async fn record(
    db: &Db,
    org_id: OrgId,
    id: AccessTokenId,
    ip: IpAddr,
    now: OffsetDateTime,
) -> db::Result<()> {
    let mut tx = db.begin().await?;
    let Some(name) = store::note_refusal(&mut tx, org_id, id, now).await? else {
        return Ok(());
    };
    let event = Event::new(Action::AccessTokenRefused, Subject::AccessToken(id))
        .note("name", &name)
        .note("used_from", &ip);
    events::record(&mut tx, org_id, Actor::System, event, now).await?;
    tx.commit().await
}
