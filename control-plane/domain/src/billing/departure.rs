//! Whether an organization may be deleted: nothing may be charged for it afterwards.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use super::{
    Billing,
    store::{
        checkouts,
        departure::{self, Charges},
    },
};
use base::{ids::OrgId, refusal::Refusal};

/// How long after a checkout by form began the payer may still be about to pay.
const PAID_WITHIN: Duration = Duration::HOUR;

impl Billing {
    /// Ends the checkouts that can still be paid, and refuses if something may be charged. A payment that is found counts.
    pub async fn end_for_deletion(&self, org_id: OrgId) -> Result<(), Refusal> {
        let now = self.clock.now();
        let open = {
            let mut conn = self.db.acquire().await?;
            refuse_renewal(departure::get(&mut conn, org_id).await?)?;
            checkouts::list_open(&mut conn, org_id).await?
        };
        if !open.is_empty() {
            let gateway = self.redirect()?;
            let _call = self.calls.try_enter(org_id)?;
            self.end_checkouts(gateway, &open).await?;
        }
        allow_deletion(&mut *self.db.acquire().await?, org_id, now).await
    }
}

/// Refuses if something may be charged for the organization.
pub async fn allow_deletion(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> Result<(), Refusal> {
    let charges = departure::get(conn, org_id).await?;
    refuse_renewal(charges)?;
    if charges.is_redirected {
        return Err(Refusal::conflict(
            "a payment is being processed: try again in a few minutes, when it has succeeded or failed",
        ));
    }
    let form_begun_at = charges.form_begun_at;
    if form_begun_at.is_some_and(|begun| begun > now - PAID_WITHIN) {
        return Err(Refusal::conflict(
            "a checkout was begun less than an hour ago and can still be paid: try again an hour after it began",
        ));
    }
    Ok(())
}

fn refuse_renewal(charges: Charges) -> Result<(), Refusal> {
    if charges.is_subscribed {
        return Err(Refusal::conflict(
            "a subscription is running: first cancel it with immediate effect, at POST /v1/billing/cancel \
             with {\"at_period_end\": false}",
        ));
    }
    if charges.is_uncertain {
        return Err(Refusal::conflict(
            "the payment gateway has not confirmed that the subscription has ended: try again in a few minutes",
        ));
    }
    Ok(())
}
