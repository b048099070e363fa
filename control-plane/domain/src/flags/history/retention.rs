//! Forgets versions that were replaced long ago, and counts what organizations keep. What is there now is never forgotten, and of
//! each flag and environment the oldest go first: what is left can be told in full.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use super::store;
use crate::unit::{history::MAX_BYTES, store::delete_oldest};
use base::{
    db::{self, Db},
    ids::OrgId,
    jobs::sweep::{BATCH, Sweep, SweepError, sweep},
    refusal::Refusal,
};

/// How long a version is kept after it was replaced.
const KEPT_FOR: Duration = Duration::days(365);

/// Versions per transaction.
const VERSIONS: i64 = 5_000;

/// Forgets what is to be forgotten at `now`.
pub async fn prune(db: &Db, now: OffsetDateTime) -> Result<(), SweepError> {
    let until = now - KEPT_FOR;
    sweep(db, &Pruned { db, until }).await
}

struct Pruned<'a> {
    db: &'a Db,
    until: OffsetDateTime,
}

impl Sweep for Pruned<'_> {
    // What is done is done: the next run goes on.
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5 * 60);

    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        store::list_orgs(conn, after, BATCH).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        let mut conn = self.db.acquire().await?;
        while store::delete_replaced(&mut conn, org_id, self.until, VERSIONS).await? > 0 {}
        drop(conn);
        let mut tx = self.db.begin().await?;
        let mut excess = store::count(&mut tx, org_id).await? - MAX_BYTES;
        tx.commit().await?;
        let mut conn = self.db.acquire().await?;
        while excess > 0 {
            let freed = delete_oldest(&mut conn, org_id, excess, VERSIONS).await?;
            if freed == 0 {
                break;
            }
            excess -= freed;
        }
        Ok(())
    }
}
