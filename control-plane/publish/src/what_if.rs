//! Tells edges which environments they sample and what is asked about these, and takes what they find.

use std::sync::Arc;

use fanout::{AllAsked, AllSampled, Asked, Reporter};
use protocol::what_if::{Finding, MOST_OPEN, OPEN, Question, Sampled};
use serving::error::chain;
use time::OffsetDateTime;
use tokio::time::Instant;

use super::Publisher;
use base::db;
use domain::{
    sampling,
    what_if::{
        change::KEPT,
        store::{self, Open},
    },
};

/// Sampled environments of the installation. Each edge has room for some of those of its regions.
const MOST_SAMPLED: i64 = 1_000;
/// Questions that are deleted at once.
const SOME: i64 = 100;

impl Publisher {
    /// Sampling was switched on or off in this process, or a question was asked.
    pub fn what_if_changed(&self) {
        self.0.asking.wake();
    }

    /// Reads what is sampled and asked, and has edges told of what is different.
    pub(super) async fn follow_what_if(self) -> db::Result<()> {
        self.follow_sampled().await?;
        self.follow_questions().await
    }

    async fn follow_sampled(&self) -> db::Result<()> {
        let shared = &self.0;
        let mut conn = shared.db.acquire().await?;
        let rows = sampling::store::list_enabled(&mut conn, MOST_SAMPLED).await?;
        drop(conn);
        let sampled = rows.into_iter().map(|row| Sampled {
            env_id: row.env_id.into(),
            attributes: row.attributes,
            keys: row.keys.into(),
        });
        let next: AllSampled = Arc::new(sampled.collect());
        shared.sampled.send_if_modified(|told| {
            let are_others = *told != next;
            *told = next;
            are_others
        });
        Ok(())
    }

    async fn follow_questions(&self) -> db::Result<()> {
        let shared = &self.0;
        let limit = i64::try_from(MOST_OPEN).unwrap_or(i64::MAX);
        let (now, read) = (shared.clock.now(), Instant::now());
        let mut conn = shared.db.acquire().await?;
        let ids = store::list_open(&mut conn, now, limit).await?;
        let told = Arc::clone(&shared.questions.borrow());
        let is_told = |id: [u8; 16]| told.iter().any(|asked| asked.signed.question.id == id);
        let new = ids.iter().filter(|id| !is_told(id.0.into_bytes()));
        let new: Vec<_> = new.copied().collect();
        let is_open = |asked: &&Asked| {
            let mut open = ids.iter();
            open.any(|id| id.0.into_bytes() == asked.signed.question.id)
        };
        let mut next: Vec<_> = told.iter().filter(is_open).cloned().collect();
        if new.is_empty() && next.len() == told.len() {
            return Ok(());
        }
        // Drafts are large: only those of which nobody was told yet.
        let asked = store::list(&mut conn, &new).await?;
        drop(conn);
        let signer = shared.signing.signer().await?;
        next.extend(asked.into_iter().map(|open| {
            let left = open.asked_at + OPEN - now;
            let question = question(open);
            let signed = match &signer {
                Some(signer) => signer.sign_question(question),
                None => question.unsigned(),
            };
            Asked {
                signed: Arc::new(signed),
                until: read + left.try_into().unwrap_or_default(),
            }
        }));
        let next: AllAsked = Arc::new(next);
        shared.questions.send_replace(next);
        Ok(())
    }

    /// Deletes questions that are old enough, and what was found.
    pub(super) async fn forget_questions(self) -> db::Result<()> {
        let mut conn = self.0.db.acquire().await?;
        let than = self.0.clock.now() - KEPT;
        while store::delete_some_older(&mut conn, than, SOME).await? == SOME.unsigned_abs() {}
        Ok(())
    }

    /// Stores what an edge found. It may be lost: whoever asked sees how many edges answered.
    pub(super) async fn take_finding(&self, reporter: &Reporter, finding: Finding) {
        let taken = async {
            let now = self.0.clock.now();
            let mut conn = self.0.db.acquire().await?;
            store::take(&mut conn, reporter.regions.only(), finding, now).await
        };
        match taken.await {
            Ok(true) => {}
            Ok(false) => tracing::debug!(
                edge.name = reporter.name,
                "a finding was dropped: known, late, or not asked for"
            ),
            Err(error) => tracing::warn!(
                edge.name = reporter.name,
                error = chain(&error),
                "a finding could not be stored"
            ),
        }
    }
}

fn question(open: Open) -> Question {
    Question {
        id: open.id.0.into_bytes(),
        sampled: Sampled {
            env_id: open.env_id.into(),
            attributes: open.attributes,
            keys: open.keys.into(),
        },
        version: open.version,
        draft: open.draft,
        by: open.by,
        examples: open.examples,
        asked_ms: unix_ms(open.asked_at),
    }
}

fn unix_ms(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or_default()
}
