//! Rate limits of the management API. Those of evaluation are settings of each edge.

use serving::settings::Reader;

/// Requests per minute; 0 switches a limit off.
#[derive(Clone, Copy, Debug)]
pub struct RateSettings {
    /// `RATE_MANAGEMENT`: per organization; default 6000.
    pub management: u32,
    /// `RATE_SIGN_IN`: sign-in, sign-up, MFA, token and password endpoints, per client address; default 300.
    pub sign_in: u32,
    /// `RATE_PROVIDER_SIGN_IN`: sign-ins by providers that are begun, per organization; default 300.
    pub provider_sign_in: u32,
    /// `RATE_SALES`: sales inquiries, per client address; default 30.
    pub sales: u32,
    /// `RATE_CALLBACK`: callbacks and events of payment gateways, per client address; default 120.
    pub callback: u32,
    /// `RATE_EXPLAIN`: explanations of evaluations, per organization; default 300.
    pub explain: u32,
    /// `RATE_MIGRATION`: multiplies the six rates of migration; default 1.
    pub migration: u32,
}

impl RateSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            management: reader.parse("RATE_MANAGEMENT", 6_000),
            sign_in: reader.parse("RATE_SIGN_IN", 300),
            provider_sign_in: reader.parse("RATE_PROVIDER_SIGN_IN", 300),
            sales: reader.parse("RATE_SALES", 30),
            callback: reader.parse("RATE_CALLBACK", 120),
            explain: reader.parse("RATE_EXPLAIN", 300),
            migration: reader.parse("RATE_MIGRATION", 1),
        }
    }
}
