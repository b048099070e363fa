//! Iterates over organizations in batches, one at a time, so that one failure does not stop the rest.

use std::time::Duration;

use serving::error::chain;
use sqlx::PgConnection;
use tokio::time::{error::Elapsed, timeout};
use uuid::Uuid;

use crate::{
    db::{self, Db},
    ids::OrgId,
    refusal::Refusal,
};

/// Organizations listed at once.
pub const BATCH: i64 = 100;

/// An operation on organizations, one at a time.
pub trait Sweep: Sync {
    /// Time for one organization. The next run retries a cancelled one.
    const PATIENCE: Duration = Duration::from_secs(10);

    /// At most [`BATCH`] candidates with ids beyond `after`, in the order of their ids.
    fn list(
        &self,
        conn: &mut PgConnection,
        after: OrgId,
    ) -> impl Future<Output = db::Result<Vec<OrgId>>> + Send;

    /// Applies it to one organization, if the condition still holds.
    fn apply(&self, org_id: OrgId) -> impl Future<Output = Result<(), Refusal>> + Send;
}

/// Why a run failed. All other organizations were processed.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("{failed} organizations failed, the first of them was {first}")]
    Failed {
        /// Organizations that failed.
        failed: usize,
        first: OrgId,
    },
}

#[derive(Debug, thiserror::Error)]
enum ApplyError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("not done in time")]
    TooSlow(#[from] Elapsed),
}

/// Applies it to all candidates, each at most once per run.
pub async fn sweep<S: Sweep>(db: &Db, sweep: &S) -> Result<(), SweepError> {
    let mut last = OrgId(Uuid::nil());
    let (mut failed, mut first) = (0, None);
    loop {
        let batch = {
            let mut conn = db.acquire().await?;
            sweep.list(&mut conn, last).await?
        };
        let Some(end) = batch.last() else { break };
        last = *end;
        for org_id in batch {
            let applied = timeout(S::PATIENCE, sweep.apply(org_id)).await;
            let applied = applied
                .map_err(ApplyError::from)
                .and_then(|applied| Ok(applied?));
            if let Err(error) = applied {
                let error = chain(&error);
                tracing::error!(org.id = %org_id, error, "an organization could not be brought up to date; retrying");
                failed += 1;
                first.get_or_insert(org_id);
            }
        }
    }
    match first {
        Some(first) => Err(SweepError::Failed { failed, first }),
        None => Ok(()),
    }
}
