//! `gateway_form` asked from server to server what became of a payment: PayU's command `verify_payment`.
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

/// The gateway, as this installation is known there.
#[derive(Debug)]
pub struct FormApi {
    client: Client,
    key: String,
    salt: SecretString,
}

/// A payment that was made.
#[derive(Debug)]
pub struct Payment {
    /// The gateway's id of it.
    pub reference: String,
    /// As the gateway writes it.
    pub amount: String,
}

impl FormApi {
    pub const fn new(client: Client, key: String, salt: SecretString) -> Self {
        Self { client, key, salt }
    }

    /// The payment of a checkout; `None` while nobody has paid.
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
        let told = &body["transaction_details"][txnid];
        match told["status"].as_str() {
            Some("success") => Ok(Some(Payment {
                reference: text(&told["mihpayid"]),
                amount: text(&told["amt"]),
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
