//! Mail: route, sender and rates.

use std::{num::NonZeroU32, path::PathBuf, str::FromStr};

use lettre::message::Mailbox;
use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};
use serving::settings::Reader;
use url::{Host, Url};

use super::{AppEnv, urls::is_local};

#[derive(Clone, Debug)]
pub struct MailSettings {
    /// `SMTP_URL`: `smtp://[user:password@]host[:port]`, `smtps://…`, `dir:PATH` or `log:`; default `log:`, which is
    /// refused in production.
    pub route: MailRoute,
    /// `MAIL_FROM`: the sender; default `Halyard <no-reply@localhost>`.
    pub from: Mailbox,
    /// How much mail one organization causes and one address receives.
    pub rates: MailRates,
}

/// Emails an hour.
#[derive(Clone, Copy, Debug)]
pub struct MailRates {
    /// `MAIL_CODES_PER_HOUR`: links that prove an address, to one address; default 5.
    pub(crate) links_to_address: NonZeroU32,
    /// `MAIL_NEWS_PER_HOUR`: emails to one address other than codes and links, counted separately for news of the account, news
    /// of organizations, approvals, and mail of members with a proven address; default 10.
    pub(crate) to_address: NonZeroU32,
    /// `MAIL_INVITATIONS_PER_HOUR`: invitations of one organization; default 100.
    pub(crate) of_org: NonZeroU32,
    /// `MAIL_UNVERIFIED_INVITATIONS_PER_HOUR`: invitations of members with an unverified address, per organization, and of all
    /// organizations to one address; default 5.
    pub(crate) unverified: NonZeroU32,
}

impl MailRates {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        let mut rate = |name, default| {
            let default = NonZeroU32::new(default).expect("no default is zero");
            reader.number(name, default, NonZeroU32::MIN..=NonZeroU32::MAX)
        };
        Self {
            links_to_address: rate("MAIL_CODES_PER_HOUR", 5),
            to_address: rate("MAIL_NEWS_PER_HOUR", 10),
            of_org: rate("MAIL_INVITATIONS_PER_HOUR", 100),
            unverified: rate("MAIL_UNVERIFIED_INVITATIONS_PER_HOUR", 5),
        }
    }
}

#[derive(Clone, Debug)]
pub enum MailRoute {
    Smtp(SmtpSettings),
    /// Into a folder, one file per email.
    Folder(PathBuf),
    /// Into the log, for developers to read.
    Log,
}

#[derive(Clone, Debug)]
pub struct SmtpSettings {
    /// Its host name, which its certificate must carry, or its address.
    pub host: String,
    /// Its port; default 587, and 465 for `smtps://`.
    pub port: u16,
    /// Whether and when the connection is encrypted.
    pub(crate) encryption: Encryption,
    pub credentials: Option<SmtpCredentials>,
}

/// When a connection to a mail server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// With `STARTTLS` if the server offers it: `smtp://` without credentials.
    WhenOffered,
    /// With `STARTTLS`, or no email is sent: `smtp://` with credentials, which are never sent in the clear.
    Required,
    /// From the first byte: `smtps://`.
    FromTheStart,
}

/// An account at a mail server.
#[derive(Clone, Debug)]
pub struct SmtpCredentials {
    pub user: String,
    pub password: SecretString,
}

/// An `SMTP_URL` of none of the known forms.
#[derive(Debug, thiserror::Error)]
#[error("expected smtp://[user:password@]host[:port], smtps://…, dir:PATH or log:")]
pub struct UnknownRoute;

impl MailSettings {
    pub fn load(reader: &mut Reader<'_>, env: AppEnv) -> Self {
        // Not with `Reader::parse`, which repeats its input in the problem: it may contain a password.
        let route = match reader.secret("SMTP_URL") {
            None => MailRoute::Log,
            Some(url) => url
                .expose_secret()
                .parse()
                .unwrap_or_else(|error: UnknownRoute| {
                    reader.problem("SMTP_URL", error.to_string());
                    MailRoute::Log
                }),
        };
        if env == AppEnv::Production && matches!(route, MailRoute::Log) {
            reader.problem("SMTP_URL", "must name a mail server in production");
        }
        let from = Self::sender(reader, env);
        Self {
            route,
            from,
            rates: MailRates::load(reader),
        }
    }

    fn sender(reader: &mut Reader<'_>, env: AppEnv) -> Mailbox {
        let nobody = Mailbox::new(
            Some("Halyard".to_owned()),
            "no-reply@localhost".parse().expect("an address"),
        );
        let from = reader.parse("MAIL_FROM", nobody);
        let is_local = Host::parse(from.email.domain()).is_ok_and(|host| is_local(&host));
        if env == AppEnv::Production && is_local {
            reader.problem(
                "MAIL_FROM",
                "must be an address that can be answered in production",
            );
        }
        from
    }
}

impl FromStr for MailRoute {
    type Err = UnknownRoute;

    fn from_str(text: &str) -> Result<Self, UnknownRoute> {
        if text == "log:" {
            return Ok(Self::Log);
        }
        if let Some(path) = text.strip_prefix("dir:") {
            return match path {
                "" => Err(UnknownRoute),
                path => Ok(Self::Folder(PathBuf::from(path))),
            };
        }
        Url::parse(text)
            .ok()
            .and_then(|url| SmtpSettings::from_url(&url))
            .map(Self::Smtp)
            .ok_or(UnknownRoute)
    }
}

impl SmtpSettings {
    fn from_url(url: &Url) -> Option<Self> {
        let has_more =
            !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some();
        // For schemes that `Url` does not know, the host is left as written: addresses keep their brackets.
        let host = match Host::parse(url.host_str()?).ok()? {
            Host::Domain(name) => name,
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let credentials = credentials(url)?;
        let (encryption, usual_port) = match (url.scheme(), &credentials) {
            ("smtp", None) => (Encryption::WhenOffered, 587),
            ("smtp", Some(_)) => (Encryption::Required, 587),
            ("smtps", _) => (Encryption::FromTheStart, 465),
            _ => return None,
        };
        (!has_more).then_some(Self {
            host,
            port: url.port().unwrap_or(usual_port),
            encryption,
            credentials,
        })
    }
}

/// `None` if one half of the credentials is missing, or either cannot be decoded.
fn credentials(url: &Url) -> Option<Option<SmtpCredentials>> {
    match (url.username(), url.password()) {
        ("", None) => Some(None),
        ("", Some(_)) | (_, None) => None,
        (user, Some(password)) => Some(Some(SmtpCredentials {
            user: percent_decoded(user)?,
            password: percent_decoded(password)?.into(),
        })),
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn load(env: AppEnv, url: &str, from: &str) -> Result<MailSettings, String> {
        let pairs = [("SMTP_URL", url), ("MAIL_FROM", from)];
        let source: BTreeMap<_, _> = pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let mut reader = Reader::new(&source);
        let settings = MailSettings::load(&mut reader, env);
        reader.finish().map_err(|problems| problems.to_string())?;
        Ok(settings)
    }

    fn smtp(url: &str) -> SmtpSettings {
        match load(AppEnv::Production, url, "flags@acme.example")
            .unwrap()
            .route
        {
            MailRoute::Smtp(settings) => settings,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn development_logs_mail_and_production_refuses_to() {
        let settings = load(AppEnv::Development, "", "").unwrap();
        assert!(matches!(settings.route, MailRoute::Log));
        assert_eq!(settings.from.to_string(), "Halyard <no-reply@localhost>");
        for url in ["", "log:"] {
            let problems = load(AppEnv::Production, url, "").unwrap_err();
            assert!(
                problems.contains("MAIL_FROM must be an address"),
                "{problems}"
            );
            let told = "SMTP_URL must name a mail server in production";
            assert!(problems.contains(told), "{problems}");
        }
    }

    #[test]
    fn servers_are_read_with_their_ports_and_encryption() {
        let server = smtp("smtp://mail.example.com");
        assert_eq!((&*server.host, server.port), ("mail.example.com", 587));
        assert_eq!(server.encryption, Encryption::WhenOffered);
        let server = smtp("smtp://[::1]:2525/");
        assert_eq!((&*server.host, server.port), ("::1", 2525));
        let server = smtp("smtps://mail.example.com");
        assert_eq!(server.port, 465);
        assert_eq!(server.encryption, Encryption::FromTheStart);
    }

    #[test]
    fn credentials_are_decoded_and_require_encryption() {
        let server = smtp("smtp://ada%40example.com:p%2Fw:%C3%B6@mail.example.com");
        assert_eq!(server.encryption, Encryption::Required);
        let account = server.credentials.unwrap();
        assert_eq!(account.user, "ada@example.com");
        assert_eq!(account.password.expose_secret(), "p/w:ö");
    }

    #[test]
    fn a_folder_is_a_path() {
        let settings = load(AppEnv::Development, "dir:/var/mail out", "").unwrap();
        assert!(matches!(settings.route, MailRoute::Folder(path) if path == *"/var/mail out"));
    }

    #[test]
    fn anything_else_is_refused_without_repeating_it() {
        for url in [
            "mail.example.com",
            "http://mail.example.com",
            "smtp://",
            "smtp://secret@mail.example.com",
            "smtp://:secret@mail.example.com",
            "smtp://ada:secret@mail.example.com/path",
            "smtp://ada:secret@mail.example.com?tls=required",
            "smtp://ada:secret%FF@mail.example.com",
            "smtp://ada:secret@mail.example.com:99999",
            "dir:",
        ] {
            let problems = load(AppEnv::Development, url, "").unwrap_err();
            assert!(problems.contains("SMTP_URL expected smtp://"), "{problems}");
            assert!(!problems.contains("secret"), "{problems}");
        }
    }

    #[test]
    fn the_sender_is_an_address_with_or_without_a_name() {
        let from = |from| load(AppEnv::Development, "", from);
        let settings = from("Flags at Acme <flags@acme.example>").unwrap();
        assert_eq!(settings.from.name.as_deref(), Some("Flags at Acme"));
        assert!(from("flags@acme.example").is_ok());
        for text in ["nobody", "a..b@acme.example", "Flags <\"x@acme.example>"] {
            assert!(from(text).unwrap_err().contains("MAIL_FROM"), "{text}");
        }
    }
}
