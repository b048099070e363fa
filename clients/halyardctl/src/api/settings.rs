//! Which service is called, and as whom.

use secrecy::SecretString;
use url::{Host, Url};

use super::Error;

/// Where a token comes from, for the advice when it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFrom {
    /// The variable `HALYARD_TOKEN`.
    Environment,
    /// A context, which `login` stored.
    Context,
    /// Typed now.
    Input,
    /// There is none.
    Nowhere,
}

/// What a client needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The service.
    pub address: Address,
    /// The access token, if there is one.
    pub token: Option<SecretString>,
    /// Where it comes from.
    pub token_from: TokenFrom,
    /// Whether each request is told on standard error.
    pub verbose: bool,
}

/// The address of a service: `http` or `https`, a host, perhaps a path; no user, query or fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// [`Error::Usage`], which does not repeat what may be a password.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |why: &str| Error::Usage(format!("the address of the service {why}"));
        let url =
            Url::parse(text.trim()).map_err(|_| wrong("must be like https://flags.example.com"))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(wrong("must begin with https:// or http://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("must have no user name and no password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("must have no query and no fragment"));
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    /// Whether what is sent there can be read on the way.
    #[must_use]
    pub fn is_readable_on_the_way(&self) -> bool {
        let url = Url::parse(&self.0);
        let host = url.as_ref().ok().and_then(Url::host);
        let is_here = match host {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        };
        self.0.starts_with("http://") && !is_here
    }

    /// The host, with its port where that is not the usual one.
    #[must_use]
    pub fn host(&self) -> &str {
        let after = self.0.split_once("://").map_or("", |(_, after)| after);
        after.split('/').next().unwrap_or_default()
    }

    /// The address, without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_neither_passwords_nor_queries() {
        let read = |text| Address::parse(text).map(|read| read.0);
        assert_eq!(read("https://a.test/").unwrap(), "https://a.test");
        assert_eq!(read(" http://a.test:80/x/ ").unwrap(), "http://a.test/x");
        for wrong in [
            "a.test",
            "ftp://a.test",
            "https://u:secret@a.test",
            "https://a.test?token=secret",
            "https://a.test#secret",
        ] {
            let told = read(wrong).unwrap_err().to_string();
            assert!(!told.contains("secret"), "{told}");
        }
    }

    #[test]
    fn only_the_own_machine_is_called_in_the_clear_without_a_warning() {
        let readable = |text| Address::parse(text).unwrap().is_readable_on_the_way();
        assert!(readable("http://flags.test"));
        assert!(readable("http://127.0.0.1.evil.test"));
        assert!(readable("http://localhost.evil.test"));
        for fine in [
            "https://flags.test",
            "http://127.0.0.1:8080",
            "http://localhost",
        ] {
            assert!(!readable(fine), "{fine}");
        }
    }
}
