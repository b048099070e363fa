//! Sends recorded deliveries again. Each becomes a delivery of its own, with a new id and the same body.

use time::OffsetDateTime;

use super::{Webhooks, change::find, model::Webhook, store::redeliveries};
use crate::unit::OrgChange;
use base::{
    ids::{WebhookDeliveryId, WebhookId},
    refusal::{Missing, Refusal},
};

impl Webhooks {
    /// Queues a delivery again.
    pub async fn redeliver(
        &self,
        change: &mut OrgChange<'_>,
        id: WebhookId,
        delivery_id: WebhookDeliveryId,
    ) -> Result<(), Refusal> {
        let org_id = change.org_id();
        let webhook = find(change, id).await?;
        let found = redeliveries::find(change, org_id, id, delivery_id).await?;
        let found = found.ok_or(Missing::Delivery)?;
        let room = self.room(change, &webhook).await?;
        if !found.has_contents {
            return Err(Refusal::conflict("the body is no longer kept"));
        }
        if found.is_repeated {
            return Err(Refusal::conflict("the delivery waits to be repeated"));
        }
        if room == 0 || redeliveries::insert(change, org_id, id, &[delivery_id]).await? == 0 {
            return Err(Refusal::conflict(FULL));
        }
        Ok(())
    }

    /// Queues again what failed since a time and was not repeated, oldest first, as far as there is room; returns how many.
    pub async fn redeliver_failed(
        &self,
        change: &mut OrgChange<'_>,
        id: WebhookId,
        since: OffsetDateTime,
    ) -> Result<u64, Refusal> {
        let org_id = change.org_id();
        let webhook = find(change, id).await?;
        let room = self.room(change, &webhook).await?;
        let mut failed = redeliveries::list_failed(change, org_id, id, since).await?;
        failed.truncate(room);
        if failed.is_empty() {
            return if room == 0 {
                Err(Refusal::conflict(FULL))
            } else {
                Ok(0)
            };
        }
        let queued = redeliveries::insert(change, org_id, id, &failed).await?;
        if queued == 0 {
            return Err(Refusal::conflict(FULL));
        }
        Ok(queued)
    }

    /// How many more events may wait for a webhook. Refuses one that receives nothing.
    async fn room(&self, change: &mut OrgChange<'_>, webhook: &Webhook) -> Result<usize, Refusal> {
        if !webhook.enabled {
            return Err(Refusal::conflict("the webhook is disabled"));
        }
        let org_id = change.org_id();
        let waiting = redeliveries::count_waiting(change, org_id, webhook.id).await?;
        let room = i64::from(self.settings.queue_size) - waiting;
        Ok(usize::try_from(room).unwrap_or(0))
    }
}

const FULL: &str = "too many events are waiting";
