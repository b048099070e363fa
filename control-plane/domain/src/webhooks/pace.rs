//! Rate limits of requests to receivers.

use std::time::Duration;

use serving::{clock::Clock, rate::PerMinute};
use url::Url;

use base::ids::OrgId;

/// Requests a minute for one organization, which is also the burst.
const OF_AN_ORGANIZATION: u32 = 600;
/// Requests a minute to one host, for all organizations.
const TO_A_HOST: u32 = 6_000;

pub(super) struct Pace {
    of_organizations: PerMinute<OrgId>,
    to_hosts: PerMinute<String>,
}

impl Pace {
    pub(super) fn new(clock: &Clock) -> Self {
        Self {
            of_organizations: PerMinute::new(OF_AN_ORGANIZATION, clock.clone()),
            to_hosts: PerMinute::new(TO_A_HOST, clock.clone()),
        }
    }

    /// Counts a request, or returns how long it must wait. One limited by its organization does not count for the host.
    pub(super) fn wait(&self, org_id: OrgId, url: &str) -> Option<Duration> {
        let waits = |decision: Option<serving::rate::Decision>| decision?.retry_after;
        let url = Url::parse(url).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        waits(self.of_organizations.check(&org_id))
            .or_else(|| waits(self.to_hosts.check(&host.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn an_organization_and_a_host_have_a_rate_each() {
        let clock = Clock::manual(OffsetDateTime::UNIX_EPOCH);
        let pace = Pace::new(&clock);
        let sent = |org_id, url: &str| {
            (0..700)
                .filter(|_| pace.wait(org_id, url).is_none())
                .count()
        };
        let orgs: Vec<_> = (0..12).map(|_| OrgId::new(clock.now())).collect();
        let url = "https://hooks.example.com/a";
        for org_id in &orgs[..10] {
            assert_eq!(sent(*org_id, url), 600);
        }
        assert_eq!(
            sent(orgs[10], "https://hooks.example.com:8443/b"),
            0,
            "the host has enough"
        );
        assert_eq!(sent(orgs[11], "https://other.example.com/"), 600);
        assert_eq!(
            sent(orgs[0], "https://other.example.com/"),
            0,
            "the organization has"
        );
        clock.advance(Duration::from_secs(1));
        assert_eq!(sent(orgs[0], url), 10);
        assert_eq!(sent(orgs[1], url), 10);
    }
}
