//! Rates of the management API: whom they count, and the headers that tell how much is left.
//!
//! A rate can only be spent once it is known who calls, inside an extractor, while its headers belong on the answer: the
//! layer leaves a place in the request where the extractor puts what it was told.

use std::{
    hash::Hash,
    net::IpAddr,
    sync::{Arc, OnceLock},
};

use axum::{
    extract::{FromRef, FromRequestParts, Request},
    http::request::Parts,
    middleware::Next,
    response::Response,
};
use serving::{
    address::{ClientAddress, TrustedProxies},
    clock::Clock,
    error::ApiError,
    rate::{Decision, PerMinute},
};

use crate::{config::RateSettings, ids::OrgId};

/// The rates of this process. Several replicas count apart.
#[derive(Debug)]
pub struct Rates {
    /// Management endpoints, by organization.
    pub management: PerMinute<OrgId>,
    /// Endpoints that take credentials, by client address.
    pub sign_in: PerMinute<IpAddr>,
    /// Sales inquiries, by client address.
    pub sales: PerMinute<IpAddr>,
}

impl Rates {
    /// With the given limits.
    #[must_use]
    pub fn new(settings: RateSettings, clock: &Clock) -> Arc<Self> {
        Arc::new(Self {
            management: PerMinute::new(settings.management, clock.clone()),
            sign_in: PerMinute::new(settings.sign_in, clock.clone()),
            sales: PerMinute::new(settings.sales, clock.clone()),
        })
    }
}

/// Where an extractor leaves what the answer is to tell.
#[derive(Clone, Default)]
struct Spent(Arc<OnceLock<Decision>>);

/// Puts the rate headers on the answer of every request that spent one.
pub async fn tell(mut request: Request, next: Next) -> Response {
    let spent = Spent::default();
    request.extensions_mut().insert(spent.clone());
    let mut response = next.run(request).await;
    if let Some(decision) = spent.0.get() {
        decision.write(response.headers_mut());
    }
    response
}

/// Spends one request of the rate.
///
/// # Errors
/// 429 when it is used up.
pub fn spend<K: Hash + Eq + Clone>(
    parts: &Parts,
    rate: &PerMinute<K>,
    key: &K,
) -> Result<(), ApiError> {
    let Some(decision) = rate.check(key) else {
        return Ok(());
    };
    if let Some(Spent(place)) = parts.extensions.get() {
        // A request that spends two rates tells about the first.
        place.get_or_init(|| decision);
    }
    match decision.retry_after {
        None => Ok(()),
        Some(wait) => Err(ApiError::too_many("rate limit exceeded", wait)),
    }
}

/// Extractors of clients that are counted by their address. They come before the body is read.
macro_rules! by_address {
    ($($(#[$doc:meta])* $name:ident: $rate:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(pub ClientAddress);

        impl<S> FromRequestParts<S> for $name
        where
            S: Send + Sync,
            Arc<Rates>: FromRef<S>,
            TrustedProxies: FromRef<S>,
        {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
                let Ok(address) = ClientAddress::from_request_parts(parts, state).await;
                let rates: Arc<Rates> = FromRef::from_ref(state);
                spend(parts, &rates.$rate, &address.network())?;
                Ok(Self(address))
            }
        }
    )+};
}

by_address! {
    /// A client of an endpoint that takes credentials, within the sign-in rate.
    SignIn: sign_in;
    /// Somebody who wants to buy, within the rate of sales inquiries.
    Inquirer: sales;
}
