//! The gateway asked from server to server: PayU's command `verify_payment`, over what payers have paid.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Form, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::{KEY, SALT};
use crate::{gateways::signature, server::Server};

type Payments = Arc<Mutex<BTreeMap<String, Value>>>;

#[derive(Clone, Default)]
struct Books {
    payments: Payments,
    questions: Arc<Mutex<Vec<String>>>,
}

/// A running gateway. Dropping it stops it.
pub struct FormApi {
    server: Server,
    books: Books,
}

impl FormApi {
    /// One of a merchant to whom nobody has paid yet.
    #[expect(clippy::unused_async, reason = "a server needs a runtime")]
    pub async fn start() -> Self {
        let books = Books::default();
        let kept = books.clone();
        let server = Server::start(|_| Router::new().fallback(answer).with_state(kept));
        Self { server, books }
    }

    /// Where it is asked.
    #[must_use]
    pub fn url(&self) -> String {
        format!(
            "http://{}/merchant/postservice.php?form=2",
            self.server.address
        )
    }

    /// The payer has paid so much for a checkout.
    pub fn pays(&self, txnid: &str, amount: &str) {
        self.book(txnid, "success", amount);
    }

    /// A payment of a checkout has this status.
    pub fn book(&self, txnid: &str, status: &str, amount: &str) {
        let payment = json!({
            "mihpayid": "403993715531077182", "request_id": "", "bank_ref_num": "721522", "amt": amount,
            "transaction_amount": amount, "txnid": txnid, "additional_charges": "0.00", "productinfo": "Halyard Pro",
            "firstname": "Owner", "bankcode": "CC", "udf1": "", "error_code": "E000", "addedon": "2026-05-04 17:30:00",
            "net_amount_debit": 1999, "disc": "0.00", "mode": "CC", "PG_TYPE": "CC-PG", "status": status,
            "unmappedstatus": "captured", "Merchant_UTR": null, "Settled_At": "0000-00-00 00:00:00",
        });
        lock(&self.books.payments).insert(txnid.to_owned(), payment);
    }

    /// The transactions that it was asked about, in order.
    #[must_use]
    pub fn questions(&self) -> Vec<String> {
        lock(&self.books.questions).clone()
    }

    /// Cuts all connections and listens no longer.
    pub async fn go_down(&self) {
        self.server.go_down().await;
    }

    /// Listens again, at the same address.
    pub async fn come_up(&self) {
        self.server.come_up().await;
    }
}

async fn answer(
    State(books): State<Books>,
    Form(fields): Form<BTreeMap<String, String>>,
) -> Response {
    let field = |name: &str| fields.get(name).map_or("", String::as_str);
    let hashed = [field("key"), field("command"), field("var1"), SALT];
    let refuse = |message: &str| Json(json!({"status": 0, "msg": message})).into_response();
    if field("key") != KEY || field("hash") != signature::of_values(&hashed) {
        return refuse("Invalid Hash.");
    }
    if field("command") != "verify_payment" {
        return (StatusCode::OK, refuse("Invalid Command.")).into_response();
    }
    lock(&books.questions).push(field("var1").to_owned());
    let payments = lock(&books.payments);
    let mut found = 0;
    let asked = field("var1").split('|');
    let details: serde_json::Map<_, _> = asked
        .map(|txnid| match payments.get(txnid) {
            Some(payment) => {
                found += 1;
                (txnid.to_owned(), payment.clone())
            }
            None => {
                let none = json!({"mihpayid": "Not Found", "status": "Not Found"});
                (txnid.to_owned(), none)
            }
        })
        .collect();
    let message = format!(
        "{found} out of {} Transactions Fetched Successfully",
        details.len()
    );
    let status = i32::from(found > 0);
    Json(json!({"status": status, "msg": message, "transaction_details": details})).into_response()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
