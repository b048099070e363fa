//! Settings of imports from other platforms.

use ipnet::IpNet;
use serving::settings::Reader;

use crate::accounts::settings::SignupPolicy;
use base::config::AppEnv;

/// Private ranges (RFC 1918, RFC 4193), common for self-hosted sources.
const PRIVATE: [&str; 4] = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];
const ALLOWED: &str = "MIGRATION_ALLOWED_CIDRS";
/// Loopback, which is not expected to host sources in production and must be enabled there.
const LOOPBACK: [&str; 2] = ["127.0.0.0/8", "::1/128"];

#[derive(Clone, Debug)]
pub struct MigrationSettings {
    /// `MIGRATION_ALLOWED_CIDRS`: non-public address ranges that sources may have; default: private ranges, and outside of
    /// production loopback, but none in production with open sign-up. `none` allows none.
    pub allowed: Vec<IpNet>,
    /// `MIGRATION_LAUNCHDARKLY_URL`: LaunchDarkly's address for requests without `base_url`; default
    /// `https://app.launchdarkly.com`.
    pub launchdarkly_url: String,
    /// `MIGRATION_FLAGSMITH_URL`: Flagsmith's address for requests without `base_url`; default `https://api.flagsmith.com`.
    pub flagsmith_url: String,
}

impl MigrationSettings {
    pub fn load(reader: &mut Reader<'_>, env: AppEnv, signup: SignupPolicy) -> Self {
        let (private, loopback) = match (env, signup) {
            (AppEnv::Development, _) => (&PRIVATE[..], &LOOPBACK[..]),
            // Unknown users choose the addresses.
            (AppEnv::Production, SignupPolicy::Open) => (&[][..], &[][..]),
            (AppEnv::Production, _) => (&PRIVATE[..], &[][..]),
        };
        let default = || {
            let ranges = private.iter().chain(loopback);
            ranges
                .map(|range| range.parse().expect("a constant range is well formed"))
                .collect()
        };
        let allowed = match reader.optional(ALLOWED).as_deref() {
            Some("none") => Vec::new(),
            _ => reader.list(ALLOWED).unwrap_or_else(default),
        };
        Self {
            allowed,
            launchdarkly_url: url(
                reader,
                "MIGRATION_LAUNCHDARKLY_URL",
                "https://app.launchdarkly.com",
            ),
            flagsmith_url: url(
                reader,
                "MIGRATION_FLAGSMITH_URL",
                "https://api.flagsmith.com",
            ),
        }
    }
}

fn url(reader: &mut Reader<'_>, name: &str, default: &str) -> String {
    let given: String = reader.parse(name, default.to_owned());
    if url::Url::parse(&given).is_err() {
        reader.problem(name, "must be an http or https URL");
    }
    given
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn load(
        env: AppEnv,
        signup: SignupPolicy,
        pairs: &[(&str, &str)],
    ) -> Result<MigrationSettings, String> {
        let source: BTreeMap<String, String> = pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut reader = Reader::new(&source);
        let settings = MigrationSettings::load(&mut reader, env, signup);
        reader.finish().map_err(|problems| problems.to_string())?;
        Ok(settings)
    }

    fn is_allowed(
        env: AppEnv,
        signup: SignupPolicy,
        pairs: &[(&str, &str)],
        address: &str,
    ) -> bool {
        let settings = load(env, signup, pairs).unwrap();
        let address: std::net::IpAddr = address.parse().unwrap();
        settings
            .allowed
            .iter()
            .any(|range| range.contains(&address))
    }

    const PRIVATE_ADDRESSES: [&str; 4] = ["10.1.2.3", "172.31.0.1", "192.168.1.1", "fd00::1"];

    #[test]
    fn sources_may_be_in_private_ranges_and_beside_a_service_in_development() {
        use {AppEnv::*, SignupPolicy::*};
        for (env, signup) in [
            (Development, Open),
            (Development, Closed),
            (Production, Invited),
            (Production, Closed),
        ] {
            for address in PRIVATE_ADDRESSES {
                assert!(is_allowed(env, signup, &[], address), "{address}");
            }
            assert!(!is_allowed(env, signup, &[], "169.254.169.254"));
            for address in ["127.0.0.1", "::1"] {
                assert_eq!(is_allowed(env, signup, &[], address), env == Development);
            }
        }
    }

    #[test]
    fn in_production_where_everybody_may_sign_up_private_ranges_are_named_or_refused() {
        let (env, signup) = (AppEnv::Production, SignupPolicy::Open);
        let named = [("MIGRATION_ALLOWED_CIDRS", "10.0.0.0/8")];
        for address in PRIVATE_ADDRESSES {
            assert!(!is_allowed(env, signup, &[], address), "{address}");
            let is_named = address.starts_with("10.");
            assert_eq!(
                is_allowed(env, signup, &named, address),
                is_named,
                "{address}"
            );
        }
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (name, value) in [
            ("MIGRATION_ALLOWED_CIDRS", "10.0.0.0/33"),
            ("MIGRATION_LAUNCHDARKLY_URL", "nowhere"),
            ("MIGRATION_FLAGSMITH_URL", "nowhere"),
        ] {
            let problems =
                load(AppEnv::Production, SignupPolicy::Open, &[(name, value)]).unwrap_err();
            assert!(problems.contains(name), "{problems}");
        }
    }
}
