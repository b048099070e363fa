//! How much the trail of an organization keeps of states on one day.
//!
//! Every change is recorded, whatever happens: no write fails because the trail is full, and no older entry is thinned out
//! to make room, since both would let somebody hide what they did. Beyond the budget entries keep who did what, when and to
//! what, and the hashes of the states in place of the states.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{model::NewEntry, store};
use base::{db, ids::OrgId};

/// Bytes of states and metadata that an organization's entries keep on one day, by UTC. An ordinary change takes one or two
/// KiB: this is some 50,000 of them.
pub const BYTES_A_DAY: i64 = 64 * 1024 * 1024;
/// Entries of a statement, unless more happened at once.
const TOGETHER: usize = 100;

/// What a transaction takes of the budget of a day.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spending {
    /// Bytes of entries that the transaction wrote before, and that the day is not charged with yet.
    pub spent: i64,
    /// Bytes that the day is charged with now.
    pub charged: i64,
}

/// Entries of a transaction that are not written yet. They are written together at its end, and with them the charge: that locks a
/// row which all changes of the organization come by.
#[derive(Debug, Default)]
pub struct Untold {
    entries: Vec<NewEntry>,
    /// Bytes of those that are written.
    spent: i64,
}

impl Untold {
    /// Adds what was told at a time. Of many entries all but the last ones are written now, so that they are not kept in memory.
    pub async fn add(
        &mut self,
        conn: &mut PgConnection,
        org_id: OrgId,
        entries: Vec<NewEntry>,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        if !self.entries.is_empty() && self.entries.len() + entries.len() > TOGETHER {
            self.write(conn, org_id, now).await?;
        }
        self.entries.extend(entries);
        Ok(())
    }

    /// Writes what there is, and charges nothing.
    pub async fn write(
        &mut self,
        conn: &mut PgConnection,
        org_id: OrgId,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let entries = std::mem::take(&mut self.entries);
        let spending = Spending {
            spent: self.spent,
            charged: 0,
        };
        store::insert(conn, org_id, &entries, spending, now).await?;
        self.spent += bytes(&entries);
        Ok(())
    }

    /// Writes what there is, and charges the day with all that was told. Call it at the end.
    pub async fn write_last(
        self,
        conn: &mut PgConnection,
        org_id: OrgId,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        let Self { entries, spent } = self;
        let charged = spent + bytes(&entries);
        if entries.is_empty() && charged == 0 {
            return Ok(());
        }
        store::insert(conn, org_id, &entries, Spending { spent, charged }, now).await
    }
}

fn bytes(entries: &[NewEntry]) -> i64 {
    entries.iter().map(NewEntry::bytes).sum()
}
