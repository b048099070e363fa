//! How much the trail of an organization keeps of states on one day.
//!
//! Every change is recorded, whatever happens: no write fails because the trail is full, and no older entry is thinned out
//! to make room, since both would let somebody hide what they did. Beyond the budget entries keep who did what, when and to
//! what, and the hashes of the states in place of the states.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::store;
use crate::{db, ids::OrgId};

/// Bytes of states and metadata that an organization's entries keep on one day, by UTC. An ordinary change takes one or two
/// KiB: this is some 50,000 of them.
pub const BYTES_A_DAY: i64 = 64 * 1024 * 1024;

/// Charges a day with what a transaction has told. Call it at the end: it locks a row that all changes of the organization
/// come by.
pub async fn charge(
    conn: &mut PgConnection,
    org_id: OrgId,
    bytes: i64,
    now: OffsetDateTime,
) -> db::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    store::charge(conn, org_id, bytes, now.date()).await
}
