//! Daily budget for states in the audit log of an organization.
//!
//! Every change is recorded: a full budget neither fails a write nor deletes older entries, since both would let a member hide
//! their actions. Beyond the budget, entries keep actor, action, time and subject, with hashes in place of the states.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{model::NewEntry, store};
use base::{db, ids::OrgId};

/// Bytes of states and metadata that an organization's entries keep per day (UTC). An ordinary change takes one or two KiB:
/// this is some 50,000 of them.
pub const BYTES_A_DAY: i64 = 64 * 1024 * 1024;

/// A transaction's use of the day's budget.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spending {
    /// Bytes of entries that the transaction has written and not charged yet.
    pub spent: i64,
    /// Bytes charged to the day now.
    pub charged: i64,
}

/// Entries of a transaction that are not written yet. They are written together at its end, with the charge, which locks a row
/// that all changes of the organization contend for.
#[derive(Debug, Default)]
pub struct PendingEntries {
    entries: Vec<NewEntry>,
    /// Bytes of the written entries.
    spent: i64,
}

impl PendingEntries {
    /// Adds the entries of one operation. Of many, all but the last ones are written now to bound memory.
    pub async fn add(
        &mut self,
        conn: &mut PgConnection,
        org_id: OrgId,
        entries: Vec<NewEntry>,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        // At most 100 entries per statement, unless one operation records more.
        if !self.entries.is_empty() && self.entries.len() + entries.len() > 100 {
            self.write(conn, org_id, now).await?;
        }
        self.entries.extend(entries);
        Ok(())
    }

    /// Writes the pending entries without charging them.
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

    /// Writes the pending entries and charges the day. Call it at the end.
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
