//! SQL of mail counts. A row stays locked until the end of the transaction, so that concurrent counts are serialized on all
//! replicas.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{
    db,
    ids::OrgId,
    mail::room::{Times, counts_since},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mail) enum Counted {
    /// Links that prove it.
    Link,
    /// News about the recipient's account: a separate count that no other sender can use up.
    Account,
    /// News about an organization of theirs; any organization may have made them an admin.
    Organization,
    /// News about approvals in an organization of theirs, at the pace of its members.
    Approval,
    /// Mail to an address that a member chose whose own address is proven.
    Verified,
    /// The same of members whose own address is not proven, counted separately.
    Unverified,
}

impl Counted {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Account => "account",
            Self::Organization => "organization",
            Self::Approval => "approval",
            Self::Verified => "verified",
            Self::Unverified => "unverified",
        }
    }
}

/// The counts of an organization, locked.
pub(in crate::mail) async fn lock_of_org(
    conn: &mut PgConnection,
    org_id: OrgId,
    by_verified: bool,
    now: OffsetDateTime,
) -> db::Result<Times> {
    let stored = sqlx::query_scalar!(
        "INSERT INTO org_mails (org_id, by_verified, times, last_time)
         VALUES ($1, $2, '{}', $3)
         ON CONFLICT ON CONSTRAINT org_mails_pkey DO UPDATE
         SET by_verified = EXCLUDED.by_verified
         RETURNING times",
        org_id as OrgId,
        by_verified,
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(Times::since(stored, now))
}

/// Stores the counts that [`lock_of_org`] returned.
pub(in crate::mail) async fn update_of_org(
    conn: &mut PgConnection,
    org_id: OrgId,
    by_verified: bool,
    times: &Times,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE org_mails
         SET times = $3, last_time = coalesce($4, last_time)
         WHERE org_id = $1 AND by_verified = $2",
        org_id as OrgId,
        by_verified,
        times.as_slice(),
        times.last(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The counts of an address, locked.
pub(in crate::mail) async fn lock_of_address(
    conn: &mut PgConnection,
    address: &str,
    counted: Counted,
    now: OffsetDateTime,
) -> db::Result<Times> {
    let stored = sqlx::query_scalar!(
        "INSERT INTO address_mails (address, counted, times, last_time)
         VALUES ($1, $2, '{}', $3)
         ON CONFLICT ON CONSTRAINT address_mails_pkey DO UPDATE
         SET counted = EXCLUDED.counted
         RETURNING times",
        address,
        counted.as_str(),
        now,
    )
    .fetch_one(conn)
    .await?;
    Ok(Times::since(stored, now))
}

/// Stores the counts that [`lock_of_address`] returned.
pub(in crate::mail) async fn update_of_address(
    conn: &mut PgConnection,
    address: &str,
    counted: Counted,
    times: &Times,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE address_mails
         SET times = $3, last_time = coalesce($4, last_time)
         WHERE address = $1 AND counted = $2",
        address,
        counted.as_str(),
        times.as_slice(),
        times.last(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::mail) async fn delete_of_address(
    conn: &mut PgConnection,
    address: &str,
) -> db::Result<()> {
    sqlx::query!("DELETE FROM address_mails WHERE address = $1", address)
        .execute(conn)
        .await?;
    Ok(())
}

/// Deletes counts outside of all rates.
pub(in crate::mail) async fn delete_uncounted(
    conn: &mut PgConnection,
    now: OffsetDateTime,
) -> db::Result<()> {
    let since = counts_since(now);
    sqlx::query!("DELETE FROM address_mails WHERE last_time <= $1", since)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("DELETE FROM org_mails WHERE last_time <= $1", since)
        .execute(conn)
        .await?;
    Ok(())
}
