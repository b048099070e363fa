//! Rate limits of the management API: what they count, and the headers that report how much is left.
//!
//! A rate can only be spent once the caller is known, in an extractor, while its headers belong on the answer. So the
//! layer puts a cell into the request, and the extractor stores the decision there.

use std::{
    hash::Hash,
    net::IpAddr,
    sync::{Arc, OnceLock},
};

use axum::{
    body::HttpBody,
    extract::{FromRequestParts, Request},
    http::request::Parts,
    middleware::Next,
    response::Response,
};
use serving::{
    address::ClientAddress,
    body::BytesRead,
    clock::Clock,
    error::ApiError,
    rate::{Decision, PerMinute},
};

use crate::{config::RateSettings, state::AppState};
use base::ids::OrgId;

/// The rate limits of this process. Each replica counts separately.
#[derive(Debug)]
pub struct Rates {
    /// Management endpoints, per organization.
    pub management: PerMinute<OrgId>,
    /// Endpoints that take credentials, per client address.
    pub sign_in: PerMinute<IpAddr>,
    /// Sign-ins by providers that are begun, per organization.
    pub provider_sign_in: PerMinute<OrgId>,
    /// Sales inquiries, per client address.
    pub sales: PerMinute<IpAddr>,
    /// Unsigned callbacks of payment gateways, per client address.
    pub callback: PerMinute<IpAddr>,
    /// Explanations, per organization.
    pub explain: PerMinute<OrgId>,
    /// Endpoints of migration, per organization.
    pub migration: MigrationRates,
}

/// A rate of an organization that a handler's signature can name.
pub trait OrgRate: Send + Sync + 'static {
    /// The rate that counts besides that of all management endpoints.
    fn of(rates: &Rates) -> Option<&PerMinute<OrgId>>;
}

/// Only the rate of all management endpoints.
pub struct Management;

impl OrgRate for Management {
    fn of(_: &Rates) -> Option<&PerMinute<OrgId>> {
        None
    }
}

/// The rate of explanations.
pub struct Explaining;

impl OrgRate for Explaining {
    fn of(rates: &Rates) -> Option<&PerMinute<OrgId>> {
        Some(&rates.explain)
    }
}

/// Rates of migration, which count besides that of all management endpoints; requests per minute, times `RATE_MIGRATION`.
macro_rules! migration_rates {
    ($($name:ident, $rate:ident: $limit:literal;)+) => {
        #[derive(Debug)]
        pub struct MigrationRates {
            $($rate: PerMinute<OrgId>,)+
        }

        impl MigrationRates {
            fn new(scale: u32, clock: &Clock) -> Self {
                let rate = |limit: u32| PerMinute::new(limit.saturating_mul(scale), clock.clone());
                Self {
                    $($rate: rate($limit),)+
                }
            }
        }

        $(
            #[doc = concat!("The rate of the migration endpoint `", stringify!($rate), "`.")]
            pub struct $name;

            impl OrgRate for $name {
                fn of(rates: &Rates) -> Option<&PerMinute<OrgId>> {
                    Some(&rates.migration.$rate)
                }
            }
        )+
    };
}

migration_rates! {
    MigrationProviders, providers: 100;
    MigrationConnect, connect: 20;
    MigrationAnalyze, analyze: 10;
    MigrationExecute, execute: 5;
    MigrationStatus, status: 60;
    MigrationIdentities, identities: 10;
}

impl Rates {
    pub fn new(settings: RateSettings, clock: &Clock) -> Arc<Self> {
        Arc::new(Self {
            management: PerMinute::new(settings.management, clock.clone()),
            sign_in: PerMinute::new(settings.sign_in, clock.clone()),
            provider_sign_in: PerMinute::new(settings.provider_sign_in, clock.clone()),
            sales: PerMinute::new(settings.sales, clock.clone()),
            callback: PerMinute::new(settings.callback, clock.clone()),
            explain: PerMinute::new(settings.explain, clock.clone()),
            migration: MigrationRates::new(settings.migration, clock),
        })
    }
}

/// Bytes of a body or an answer that count as another request.
const BYTES_PER_REQUEST: u64 = 64 * 1024;

/// Where extractors store the decision for the answer: of two rates the first.
#[derive(Clone, Default)]
struct Spent(Arc<OnceLock<Decision>>);

/// Where extractors store who pays for a large body and a large answer.
#[derive(Clone, Default)]
struct Payer(Arc<OnceLock<(Arc<Rates>, OrgId)>>);

/// Puts the rate headers on the answer of every request that spent one. A large body and a large answer each count as several
/// requests, against those that follow: their size is known only afterwards.
pub async fn report(mut request: Request, next: Next) -> Response {
    let (spent, payer) = (Spent::default(), Payer::default());
    request.extensions_mut().insert(spent.clone());
    request.extensions_mut().insert(payer.clone());
    let body = BytesRead::default();
    request.extensions_mut().insert(body.clone());
    let mut response = next.run(request).await;
    if let Some((rates, org_id)) = payer.0.get() {
        let asked = u64::try_from(body.get()).unwrap_or(u64::MAX);
        let answered = response.body().size_hint().exact().unwrap_or(0);
        let more = asked / BYTES_PER_REQUEST + answered / BYTES_PER_REQUEST;
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        rates.management.count(org_id, more);
    }
    if let Some(decision) = spent.0.get() {
        decision.write(response.headers_mut());
    }
    response
}

/// Charges the sizes of the body and the answer to this organization.
pub fn is_paid_by(parts: &Parts, rates: &Arc<Rates>, org_id: OrgId) {
    if let Some(payer) = parts.extensions.get::<Payer>() {
        payer.0.get_or_init(|| (Arc::clone(rates), org_id));
    }
}

/// Spends one request of the rate; 429 if none is left.
pub fn spend<K: Hash + Eq + Clone>(
    parts: &Parts,
    rate: &PerMinute<K>,
    key: &K,
) -> Result<(), ApiError> {
    spend_and_store(parts.extensions.get(), rate, key)
}

/// Spends one request of a rate whose key the body names, without headers that report it.
pub fn spend_by_body<K: Hash + Eq + Clone>(rate: &PerMinute<K>, key: &K) -> Result<(), ApiError> {
    spend_and_store(None, rate, key)
}

fn spend_and_store<K: Hash + Eq + Clone>(
    spent: Option<&Spent>,
    rate: &PerMinute<K>,
    key: &K,
) -> Result<(), ApiError> {
    let Some(decision) = rate.check(key) else {
        return Ok(());
    };
    if let Some(spent) = spent {
        spent.0.get_or_init(|| decision);
    }
    match decision.retry_after {
        None => Ok(()),
        Some(wait) => Err(ApiError::too_many("rate limit exceeded", wait)),
    }
}

/// Extractors of clients that are counted by address. They run before the body is read.
macro_rules! by_address {
    ($($(#[$doc:meta])* $name:ident: $rate:ident;)+) => {$(
        $(#[$doc])*
        pub struct $name(pub ClientAddress);

        impl FromRequestParts<AppState> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(
                parts: &mut Parts,
                state: &AppState,
            ) -> Result<Self, ApiError> {
                let address = ClientAddress::of(parts, &state.trusted_proxies);
                spend(parts, &state.rates.$rate, &address.network())?;
                Ok(Self(address))
            }
        }
    )+};
}

by_address! {
    /// A client of an endpoint that takes credentials, within the sign-in rate.
    SignIn: sign_in;
    /// A person who wants to buy, within the rate of sales inquiries.
    Inquirer: sales;
}

/// A payment gateway, or a browser that returns from one. Only unsigned requests count against the rate of callbacks, so that
/// others at the same address cannot delay payments.
pub struct GatewayCaller {
    address: IpAddr,
    rates: Arc<Rates>,
    spent: Option<Spent>,
}

impl GatewayCaller {
    /// Counts the request; 429 if there were too many.
    pub fn is_unsigned(&self) -> Result<(), ApiError> {
        spend_and_store(self.spent.as_ref(), &self.rates.callback, &self.address)
    }
}

impl FromRequestParts<AppState> for GatewayCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        Ok(Self {
            address: ClientAddress::of(parts, &state.trusted_proxies).network(),
            rates: Arc::clone(&state.rates),
            spent: parts.extensions.get().cloned(),
        })
    }
}
