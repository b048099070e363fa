//! Server-to-server query of a payment's status at `gateway_form`: PayU's command `verify_payment`.
//!
//! <https://docs.payu.in/reference/verify_payment_api>.

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{
    form::hash,
    redirect::client::{GatewayError, good},
};
use base::outbound::{Call, Client, Method};

const COMMAND: &str = "verify_payment";

#[derive(Debug)]
pub struct FormApi {
    client: Client,
    key: String,
    salt: SecretString,
}

#[derive(Debug)]
pub struct Payment {
    /// The gateway's payment id.
    pub reference: String,
    /// In the gateway's notation.
    pub amount: String,
}

impl FormApi {
    pub const fn new(client: Client, key: String, salt: SecretString) -> Self {
        Self { client, key, salt }
    }

    /// The payment of a checkout; `None` while it is unpaid.
    pub async fn payment(&self, txnid: &str) -> Result<Option<Payment>, GatewayError> {
        let hash = hash(&[&self.key, COMMAND, txnid, self.salt.expose_secret()]);
        let fields = [
            ("key", self.key.clone()),
            ("command", COMMAND.to_owned()),
            ("var1", txnid.to_owned()),
            ("hash", hash),
        ];
        let call = Call {
            method: Method::POST,
            path: String::new(),
            fields: fields.into(),
            idempotency_key: None,
        };
        let body = good(self.client.call(&call).await?)?;
        let payment = &body["transaction_details"][txnid];
        match payment["status"].as_str() {
            Some("success") => Ok(Some(Payment {
                reference: text(&payment["mihpayid"]),
                amount: text(&payment["amt"]),
            })),
            Some(_) => Ok(None),
            None => Err(GatewayError::Lacks("the transaction")),
        }
    }
}

/// Amounts are written as strings in some answers and as numbers in others.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
