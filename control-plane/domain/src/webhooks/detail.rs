//! One delivery with the body that was sent.

use super::{
    Webhooks, body,
    model::DeliveryDetail,
    store::deliveries::{find, find_sent},
};
use base::{
    ids::{OrgId, WebhookDeliveryId, WebhookId},
    refusal::{Missing, Refusal},
};

impl Webhooks {
    /// Shows a recorded delivery. Its body is made again from what was stored with the change, in the format of then.
    pub async fn delivery(
        &self,
        org_id: OrgId,
        id: WebhookId,
        delivery_id: WebhookDeliveryId,
    ) -> Result<DeliveryDetail, Refusal> {
        let mut conn = self.db.begin_reading().await?;
        let delivery = find(&mut conn, org_id, id, delivery_id).await?;
        let delivery = delivery.ok_or(Missing::Delivery)?;
        let sent = find_sent(&mut conn, org_id, id, delivery_id).await?;
        let body = sent.map(|sent| body::of(&sent, &self.urls.dashboard));
        let body = body
            .transpose()
            .map_err(|error| Refusal::Fault(error.into()))?;
        Ok(DeliveryDetail {
            delivery,
            body: body.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        })
    }
}
