//! Account settings: sign-up, data regions, the plan of new organizations, sessions.

mod proofs;
mod sign_in;
mod signup;
mod tokens;

use std::time::Duration;

use serving::settings::{Reader, spans::HOUR};

pub use self::{
    proofs::ProofSettings,
    sign_in::{LockoutSettings, SignInSettings},
    signup::SignupPolicy,
    tokens::TokenSettings,
};
use crate::{accounts::disposable::DisposableDomains, orgs::settings::FirstPlan};

#[derive(Clone, Debug)]
pub struct AccountSettings {
    /// `DATA_REGIONS`: regions that an organization may choose from, the first being the default choice; default
    /// `us,eu,in`.
    pub data_regions: Vec<String>,
    /// `SIGNUP`: who may sign up: `open` (default), `invited` or `closed`.
    pub signup: SignupPolicy,
    pub first_plan: FirstPlan,
    /// `REFRESH_REUSE_LEEWAY`: how long a replaced refresh token stays usable; default `30s`.
    pub reuse_leeway: Duration,
    /// `DISPOSABLE_EMAIL_DOMAINS`: a file with further domains for which no account is opened, one per line; default
    /// only the built-in list.
    pub disposable_domains: DisposableDomains,
    /// Codes and links sent by mail, and one-time tokens.
    pub proofs: ProofSettings,
}

impl AccountSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            data_regions: data_regions(reader),
            signup: reader.parse("SIGNUP", SignupPolicy::Open),
            first_plan: FirstPlan::load(reader),
            reuse_leeway: reader.duration(
                "REFRESH_REUSE_LEEWAY",
                Duration::from_secs(30),
                Duration::ZERO..=HOUR,
            ),
            disposable_domains: disposable_domains(reader),
            proofs: ProofSettings::load(reader),
        }
    }
}

/// `DATA_REGIONS`. Commands that need no other setting of accounts read only this.
pub fn data_regions(reader: &mut Reader<'_>) -> Vec<String> {
    let regions: Vec<String> = reader
        .list("DATA_REGIONS")
        .unwrap_or_else(|| ["us", "eu", "in"].map(str::to_owned).to_vec());
    if regions.is_empty() {
        reader.problem("DATA_REGIONS", "must name at least one region");
    }
    regions
}

fn disposable_domains(reader: &mut Reader<'_>) -> DisposableDomains {
    const NAME: &str = "DISPOSABLE_EMAIL_DOMAINS";
    let more = reader.optional(NAME).map(|path| {
        std::fs::read_to_string(&path).unwrap_or_else(|error| {
            reader.problem(NAME, format!("`{path}`: {error}"));
            String::new()
        })
    });
    DisposableDomains::with(&more.unwrap_or_default())
}
