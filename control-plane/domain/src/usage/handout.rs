//! Draining impressions: `POST /v1/metrics/impressions/flush`.
//!
//! A hundred thousand of them are neither collected in memory nor deleted before they are sent. A flush claims the current ones
//! and streams them from the database in pieces; they are deleted after the last piece, before the end of the answer. If a
//! client disconnects earlier, the claim lapses, and the next flush returns the same impressions again.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use serde_json::json;
use serving::clock::Clock;
use time::Duration;
use uuid::Uuid;

use super::store::{impressions, windows};
use crate::{
    events::{Action, Event, Subject},
    unit::{Recorded, Unit},
};
use base::{
    db::{
        self, Db,
        behalf::{self, Behalf},
    },
    ids::OrgId,
};

/// How long a claim holds without renewal.
const LEASE: Duration = Duration::seconds(60);

/// The impressions that a flush may return: those up to an id, until it lapses.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    token: Uuid,
    through: i64,
}

/// Claims the stored impressions. `None` if there are none, or another flush holds a claim.
pub async fn claim(unit: &mut Unit) -> db::Result<Recorded<Option<Claim>>> {
    let (org_id, now) = (unit.org_id(), unit.now());
    windows::lock(unit, &[org_id]).await?;
    let there = if windows::is_claimed(unit, org_id, now).await? {
        None
    } else {
        impressions::newest(unit, org_id).await?
    };
    let claim = match there {
        Some((through, _)) => {
            let token = Uuid::new_v4();
            windows::claim(unit, org_id, token, now + LEASE).await?;
            Some(Claim { token, through })
        }
        None => None,
    };
    let count = there.map_or(0, |(_, count)| count);
    let event = Event::new(Action::MetricsImpressionsFlushed, Subject::Org(org_id));
    let event = event.with(json!({"impressions": count}));
    unit.record(event, claim).await
}

#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("the claim on the impressions has lapsed")]
    Lapsed,
}

/// The claimed impressions as a JSON array, oldest first.
pub fn body(
    db: Db,
    clock: Clock,
    org_id: OrgId,
    claim: Option<Claim>,
) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send {
    let handout = claim.map(|claim| Handout {
        renewed: clock.now(),
        db,
        clock,
        behalf: behalf::current(),
        org_id,
        claim,
        last: None,
    });
    stream::unfold(Step::Begin(handout), |step| async move {
        let (piece, next) = match step {
            Step::Begin(None) => (Ok(Bytes::from_static(b"[]")), Step::End),
            Step::Begin(Some(handout)) => (Ok(Bytes::from_static(b"[")), Step::Go(handout)),
            Step::Go(mut handout) => match handout.next_on_behalf().await {
                Ok(Some(piece)) => (Ok(piece), Step::Go(handout)),
                Ok(None) => (Ok(Bytes::from_static(b"]")), Step::End),
                Err(error) => {
                    tracing::warn!(org.id = %handout.org_id, error = %error, "a flush of impressions broke off");
                    (Err(std::io::Error::other(error)), Step::End)
                }
            },
            Step::End => return None,
        };
        Some((piece, next))
    })
}

enum Step {
    Begin(Option<Handout>),
    Go(Handout),
    End,
}

struct Handout {
    db: Db,
    clock: Clock,
    /// The request whose connections are used.
    behalf: Option<Arc<Behalf>>,
    org_id: OrgId,
    claim: Claim,
    renewed: time::OffsetDateTime,
    /// The position of the last impression returned.
    last: Option<(i64, i64)>,
}

impl Handout {
    /// Reads the next piece on the connections of the request. The server polls the body outside of the request's scope, which
    /// would use those of jobs.
    async fn next_on_behalf(&mut self) -> Result<Option<Bytes>, Broken> {
        match self.behalf.clone() {
            Some(behalf) => behalf.scope(self.next()).await,
            None => self.next().await,
        }
    }

    /// The next piece; `None` after the last, when all returned impressions are deleted.
    async fn next(&mut self) -> Result<Option<Bytes>, Broken> {
        self.renew().await?;
        let read = {
            let mut conn = self.db.acquire().await?;
            let through = self.claim.through;
            // By number, and by bytes of their texts in JSON: the slowest client allowed receives a piece within the lease.
            let size = (500, 64 * 1024);
            impressions::read(&mut conn, self.org_id, through, self.last, size).await?
        };
        let Some(last) = read.last() else {
            self.finish().await?;
            return Ok(None);
        };
        let mut piece = Vec::new();
        for read in &read {
            if self.last.is_some() || !piece.is_empty() {
                piece.push(b',');
            }
            serde_json::to_writer(&mut piece, &read.impression)
                .expect("texts and a number are JSON");
        }
        self.last = Some((last.impression.timestamp, last.id));
        Ok(Some(piece.into()))
    }

    async fn renew(&mut self) -> Result<(), Broken> {
        let now = self.clock.now();
        if now - self.renewed < Duration::seconds(20) {
            return Ok(());
        }
        let mut conn = self.db.acquire().await?;
        let token = self.claim.token;
        if !windows::renew_claim(&mut conn, self.org_id, token, now + LEASE).await? {
            return Err(Broken::Lapsed);
        }
        self.renewed = now;
        Ok(())
    }

    async fn finish(&self) -> Result<(), Broken> {
        let mut tx = self.db.begin().await?;
        let mut locked = windows::lock(&mut tx, &[self.org_id]).await?;
        if !windows::end_claim(&mut tx, self.org_id, self.claim.token).await? {
            return Err(Broken::Lapsed);
        }
        let deleted = impressions::delete(&mut tx, self.org_id, self.claim.through).await?;
        for window in locked.values_mut() {
            window.impressions = (window.impressions - deleted).max(0);
        }
        windows::update(&mut tx, &locked).await?;
        Ok(tx.commit().await?)
    }
}
