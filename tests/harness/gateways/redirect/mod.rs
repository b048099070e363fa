//! A stand-in for `gateway_redirect`: the part of Stripe's API that Halyard calls, and the events that it sends.
//!
//! It remembers sessions, subscriptions, customers and idempotency keys. Tests play the payer and the passage of time, by
//! methods that return the events which the gateway would send; nothing is sent by itself.

mod account;
mod api;
mod events;
mod objects;
mod parameters;
mod payments;
mod requests;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serving::clock::Clock;
use time::OffsetDateTime;

pub use events::Event;
pub use objects::Shape;
pub use requests::{Effect, Request, Trouble};

use self::account::Account;
use self::requests::Arrivals;
use super::signature;
use crate::{
    caller::{Caller, Response},
    server::Server,
};

/// What callers authenticate with.
pub const SECRET_KEY: &str = "sk_test_halyard";
/// What events are signed with.
pub const WEBHOOK_SECRET: &str = "whsec_halyard";
/// The only price.
pub const PRICE_ID: &str = "price_pro";

const WEBHOOK_PATH: &str = "/v1/billing/gateway_redirect/webhook";

/// A running gateway. Dropping it stops it.
pub struct RedirectGateway {
    account: Arc<Mutex<Account>>,
    arrivals: Arc<Arrivals>,
    server: Server,
}

impl RedirectGateway {
    /// One that nobody called yet.
    #[expect(clippy::unused_async, reason = "a server needs a runtime")]
    pub async fn start(clock: Clock) -> Self {
        let account = Arc::new(Mutex::new(Account::new(clock)));
        let arrivals = Arc::new(Arrivals::default());
        let server = Server::start(|_| requests::router(&account, &arrivals));
        lock(&account).url = format!("http://{}", server.address);
        Self {
            account,
            arrivals,
            server,
        }
    }

    /// The base of its API.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// What makes a control plane use it.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("GATEWAY_REDIRECT_API_URL", self.url()),
            ("GATEWAY_REDIRECT_SECRET_KEY", SECRET_KEY.to_owned()),
            ("GATEWAY_REDIRECT_WEBHOOK_SECRET", WEBHOOK_SECRET.to_owned()),
            ("GATEWAY_REDIRECT_PRICE_ID", PRICE_ID.to_owned()),
        ]
    }

    /// Takes the time from that clock from now on.
    pub fn follow(&self, clock: &Clock) {
        self.account().clock = clock.clone();
    }

    /// Gives objects that shape from now on.
    pub fn speak(&self, shape: Shape) {
        self.account().shape = shape;
    }

    /// Every request that arrived, troubled ones included.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.arrivals.all()
    }

    /// Those to that path.
    #[must_use]
    pub fn requests_to(&self, method: &str, path: &str) -> Vec<Request> {
        let mut requests = self.requests();
        requests.retain(|request| request.method == method && request.path == path);
        requests
    }

    /// Troubles the next `times` requests, after those that are to be troubled already.
    pub fn trouble(&self, trouble: Trouble, times: usize) {
        self.arrivals.trouble(trouble, times);
    }

    /// Troubles no request any longer. What hangs goes on hanging.
    pub fn calm(&self) {
        self.arrivals.calm();
    }

    /// Lets every request wait that long before anything happens.
    pub fn slow(&self, delay: Duration) {
        self.arrivals.slow(delay);
    }

    /// Cuts all connections and listens no longer.
    pub async fn go_down(&self) {
        self.server.go_down().await;
    }

    /// Listens again, at the same address, and knows what it knew.
    pub async fn come_up(&self) {
        self.server.come_up().await;
    }

    /// The header that signs a body at a time.
    #[must_use]
    pub fn sign(&self, body: &str, at: OffsetDateTime) -> String {
        signature::of_event(body, WEBHOOK_SECRET, at)
    }

    /// Sends an event as the gateway does: signed now.
    pub async fn deliver(&self, caller: &Caller, event: &Event) -> Response {
        let body = event.body.to_string();
        let signature = self.sign(&body, self.now());
        self.deliver_signed(caller, &body, &signature).await
    }

    /// Sends any body with any signature.
    pub async fn deliver_signed(&self, caller: &Caller, body: &str, signature: &str) -> Response {
        let request = caller
            .request(reqwest::Method::POST, WEBHOOK_PATH)
            .header("content-type", "application/json; charset=utf-8")
            .header("gateway-redirect-signature", signature)
            .body(body.to_owned());
        caller.send(request).await
    }

    fn now(&self) -> OffsetDateTime {
        self.account().clock.now()
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        lock(&self.account)
    }
}

fn lock(account: &Mutex<Account>) -> MutexGuard<'_, Account> {
    // A test that fails while it holds the lock says more than this would.
    account
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
