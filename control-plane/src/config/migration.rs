//! Imports from other platforms.

use ipnet::IpNet;
use serving::settings::Reader;

use super::AppEnv;

/// Private ranges (RFC 1918, RFC 4193), where sources that people run themselves often are.
const PRIVATE: [&str; 4] = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];
const ALLOWED: &str = "MIGRATION_ALLOWED_CIDRS";
/// This machine. Nobody else's sources are there, so production has to ask for it.
const LOOPBACK: [&str; 2] = ["127.0.0.0/8", "::1/128"];

/// Where sources may be.
#[derive(Clone, Debug)]
pub struct MigrationSettings {
    /// `MIGRATION_ALLOWED_CIDRS`: address ranges that sources may have though they are not public; default: private ranges, and
    /// outside of production loopback too. `none` allows none.
    pub allowed: Vec<IpNet>,
    /// `MIGRATION_LAUNCHDARKLY_URL`: where LaunchDarkly is for requests without `base_url`; default `https://app.launchdarkly.com`.
    pub launchdarkly_url: String,
    /// `MIGRATION_FLAGSMITH_URL`: the same of Flagsmith; default `https://api.flagsmith.com`.
    pub flagsmith_url: String,
}

impl MigrationSettings {
    pub(super) fn load(reader: &mut Reader<'_>, env: AppEnv) -> Self {
        let loopback = match env {
            AppEnv::Development => &LOOPBACK[..],
            AppEnv::Production => &[],
        };
        let ranges = || PRIVATE.iter().chain(loopback);
        let default = || {
            ranges()
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

    fn load(env: AppEnv, pairs: &[(&str, &str)]) -> Result<MigrationSettings, String> {
        let source: BTreeMap<String, String> = pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut reader = Reader::new(&source);
        let settings = MigrationSettings::load(&mut reader, env);
        reader.finish().map_err(|problems| problems.to_string())?;
        Ok(settings)
    }

    #[test]
    fn sources_may_be_in_private_ranges_and_beside_a_service_in_development() {
        let is_allowed = |env, address: &str| {
            let settings = load(env, &[]).unwrap();
            let address = address.parse().unwrap();
            settings
                .allowed
                .iter()
                .any(|range: &IpNet| range.contains::<&std::net::IpAddr>(&address))
        };
        for env in [AppEnv::Development, AppEnv::Production] {
            for address in ["10.1.2.3", "172.31.0.1", "192.168.1.1", "fd00::1"] {
                assert!(is_allowed(env, address), "{address}");
            }
            assert!(!is_allowed(env, "169.254.169.254"));
        }
        assert!(is_allowed(AppEnv::Development, "127.0.0.1"));
        assert!(!is_allowed(AppEnv::Production, "127.0.0.1"));
        assert!(!is_allowed(AppEnv::Production, "::1"));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (name, value) in [
            ("MIGRATION_ALLOWED_CIDRS", "10.0.0.0/33"),
            ("MIGRATION_LAUNCHDARKLY_URL", "nowhere"),
            ("MIGRATION_FLAGSMITH_URL", "nowhere"),
        ] {
            let problems = load(AppEnv::Production, &[(name, value)]).unwrap_err();
            assert!(problems.contains(name), "{problems}");
        }
    }
}
