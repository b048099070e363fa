//! Disposable mail domains: no account is opened with an address there.

use std::{collections::HashSet, sync::Arc};

use super::email::Email;

/// The built-in domains and those of the installation. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DisposableDomains(Arc<HashSet<String>>);

impl DisposableDomains {
    /// The built-in list and `more` in the same format: one domain per line, in any case; blank lines and lines that
    /// begin with `#` are ignored.
    pub fn with(more: &str) -> Self {
        let built_in = include_str!("disposable_domains.txt");
        let domains = built_in
            .lines()
            .chain(more.lines())
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self(Arc::new(domains.map(str::to_lowercase).collect()))
    }

    /// Whether the address is in one of these domains or a subdomain.
    pub fn include(&self, email: &Email) -> bool {
        let mut rest = Some(email.domain());
        while let Some(domain) = rest {
            if self.0.contains(domain) {
                return true;
            }
            rest = domain.split_once('.').map(|(_, parent)| parent);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_included(domains: &DisposableDomains, address: &str) -> bool {
        domains.include(&Email::parse(Some(address)).unwrap())
    }

    #[test]
    fn domains_below_a_listed_one_are_included() {
        let domains = DisposableDomains::with("");
        for address in ["a@mailinator.com", "a@x.y.mailinator.com", "A@Yopmail.COM"] {
            assert!(is_included(&domains, address), "{address}");
        }
        for address in [
            "a@example.com",
            "a@my-mailinator.com",
            "a@mailinator.com.example.org",
            "mailinator.com@example.com",
        ] {
            assert!(!is_included(&domains, address), "{address}");
        }
    }

    #[test]
    fn an_installation_adds_its_own() {
        let domains = DisposableDomains::with("# ours\n\n  Throwaway.Example \r\n");
        assert!(is_included(&domains, "a@mail.throwaway.example"));
        assert!(is_included(&domains, "a@mailinator.com"));
        assert!(!is_included(&domains, "a@ours.example"));
    }

    #[test]
    fn the_built_in_list_has_only_domains_that_addresses_can_have() {
        let domains = DisposableDomains::with("");
        for domain in domains.0.iter() {
            assert!(is_included(&domains, &format!("a@{domain}")), "{domain}");
        }
    }
}
