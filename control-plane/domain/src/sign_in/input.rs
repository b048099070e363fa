//! Providers and domains as sent by clients, and the rules for them.

use std::collections::HashSet;

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use time::OffsetDateTime;
use url::Host;
use utoipa::ToSchema;

use super::{
    Providers,
    model::{Provider, RoleMapping, RoleMappings},
};
use crate::{accounts::email::Email, members::model::Role};
use base::{
    ids::SignInProviderId,
    input::{Invalid, Name, Patch, all_given, has_text, is_longer_than, required},
    outbound::guard::UserUrl,
};

const MAX_MAPPINGS: usize = 100;
const MAX_TEXT: usize = 255;

/// The body of a provider's creation.
#[derive(Deserialize, ToSchema)]
pub struct NewSignInProvider {
    /// Required; 1 to 255 characters.
    #[schema(value_type = String)]
    name: Option<String>,
    /// Required; the `https` address that the provider names as its issuer, without query, at most 2,048 characters.
    #[schema(value_type = String)]
    issuer: Option<String>,
    /// Required; at most 255 characters.
    #[schema(value_type = String)]
    client_id: Option<String>,
    /// At most 255 characters. Without it the client is public, and PKCE alone protects its codes.
    #[schema(value_type = Option<String>)]
    client_secret: Option<SecretString>,
    /// Whether a first sign-in makes a member; `false` when absent.
    provisions_members: Option<bool>,
    /// `admin`, `developer` (when absent) or `viewer`.
    #[schema(value_type = Option<Role>)]
    default_role: Option<String>,
    /// The claim that roles are taken from, at most 255 characters; Halyard keeps roles when absent.
    role_claim: Option<String>,
    /// At most 100, each value once.
    #[schema(value_type = Option<Vec<RoleMapping>>)]
    role_mappings: Option<Vec<RawMapping>>,
}

/// The body of a provider's update.
#[derive(Deserialize, ToSchema)]
pub struct SignInProviderPatch {
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    /// With another issuer everybody is recognised anew by their address.
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    issuer: Patch<String>,
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    client_id: Patch<String>,
    /// Empty or `null`: the client is public.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    client_secret: Patch<SecretString>,
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    provisions_members: Patch<bool>,
    /// `admin`, `developer` or `viewer`.
    #[serde(default)]
    #[schema(value_type = Role, required = false)]
    default_role: Patch<String>,
    /// Empty or `null`: Halyard keeps roles.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    role_claim: Patch<String>,
    /// Replaces all mappings.
    #[serde(default)]
    #[schema(value_type = Vec<RoleMapping>, required = false)]
    role_mappings: Patch<Vec<RawMapping>>,
}

/// A mapping as it comes.
#[derive(Deserialize)]
pub struct RawMapping {
    value: Option<String>,
    role: Option<String>,
}

/// The body of a domain's addition.
#[derive(Deserialize, ToSchema)]
pub struct NewSignInDomain {
    /// Required; a name such as `example.com`.
    #[schema(value_type = String)]
    domain: Option<String>,
}

/// The body of a change of the rules.
#[derive(Deserialize, ToSchema)]
pub struct SignInRulesPatch {
    /// Required. Owners may always sign in with their password.
    #[schema(value_type = bool)]
    only_by_provider: Option<bool>,
}

/// A checked provider.
pub struct ProviderWish {
    name: String,
    pub issuer: UserUrl,
    client_id: String,
    pub(super) secret: Option<SecretString>,
    provisions_members: bool,
    default_role: Role,
    role_claim: Option<String>,
    role_mappings: RoleMappings,
}

/// A checked update.
pub struct ProviderChange {
    name: Option<String>,
    pub issuer: Option<UserUrl>,
    client_id: Option<String>,
    pub(super) secret: Patch<SecretString>,
    provisions_members: Option<bool>,
    default_role: Option<Role>,
    role_claim: Patch<String>,
    role_mappings: Option<RoleMappings>,
}

impl NewSignInProvider {
    pub fn check(self, providers: &Providers) -> Result<ProviderWish, Invalid> {
        all_given([
            ("name", has_text(&self.name)),
            ("issuer", has_text(&self.issuer)),
            ("client_id", has_text(&self.client_id)),
        ])?;
        Ok(ProviderWish {
            name: Name::parse(self.name)?.as_str().to_owned(),
            issuer: issuer(providers, self.issuer)?,
            client_id: bounded("client_id", required("client_id", self.client_id)?)?,
            secret: self.client_secret.map_or(Ok(None), secret)?,
            provisions_members: self.provisions_members.unwrap_or(false),
            default_role: self
                .default_role
                .as_deref()
                .map_or(Ok(Role::Developer), |text| role("default_role", text))?,
            role_claim: self
                .role_claim
                .filter(|claim| !claim.trim().is_empty())
                .map(|claim| bounded("role_claim", claim))
                .transpose()?,
            role_mappings: mappings(self.role_mappings.unwrap_or_default())?,
        })
    }
}

impl ProviderWish {
    pub(super) fn create(&self, now: OffsetDateTime) -> Provider {
        Provider {
            id: SignInProviderId::new(now),
            name: self.name.clone(),
            issuer: self.issuer.as_str().to_owned(),
            client_id: self.client_id.clone(),
            has_secret: self.secret.is_some(),
            provisions_members: self.provisions_members,
            default_role: self.default_role,
            role_claim: self.role_claim.clone(),
            role_mappings: self.role_mappings.clone(),
            created_at: now,
            updated_at: now,
        }
    }
}

impl SignInProviderPatch {
    /// The secret and the claim may be `null`.
    pub fn check(self, providers: &Providers) -> Result<ProviderChange, Invalid> {
        let name = self.name.not_null("name")?;
        let url = self.issuer.not_null("issuer")?;
        let client_id = self.client_id.not_null("client_id")?;
        let default_role = self.default_role.not_null("default_role")?;
        let role_mappings = self.role_mappings.not_null("role_mappings")?;
        Ok(ProviderChange {
            name: name
                .map(|name| Name::parse(Some(name)).map(|name| name.as_str().to_owned()))
                .transpose()?,
            issuer: url.map(|url| issuer(providers, Some(url))).transpose()?,
            client_id: client_id
                .map(|id| bounded("client_id", required("client_id", Some(id))?))
                .transpose()?,
            secret: match self.client_secret {
                Patch::Set(text) => secret(text)?.map_or(Patch::Clear, Patch::Set),
                other => other,
            },
            provisions_members: self.provisions_members.not_null("provisions_members")?,
            default_role: default_role
                .map(|text| role("default_role", &text))
                .transpose()?,
            role_claim: match self.role_claim {
                Patch::Set(claim) if claim.trim().is_empty() => Patch::Clear,
                other => other.try_map(|claim| bounded("role_claim", claim))?,
            },
            role_mappings: role_mappings.map(mappings).transpose()?,
        })
    }
}

impl ProviderChange {
    pub(super) fn apply(&self, before: &Provider) -> Provider {
        let mut provider = before.clone();
        if let Some(name) = &self.name {
            provider.name.clone_from(name);
        }
        if let Some(issuer) = &self.issuer {
            issuer.as_str().clone_into(&mut provider.issuer);
        }
        if let Some(client_id) = &self.client_id {
            provider.client_id.clone_from(client_id);
        }
        if !self.secret.is_keep() {
            provider.has_secret = matches!(self.secret, Patch::Set(_));
        }
        if let Some(provisions) = self.provisions_members {
            provider.provisions_members = provisions;
        }
        if let Some(role) = self.default_role {
            provider.default_role = role;
        }
        self.role_claim.write_to(&mut provider.role_claim);
        if let Some(mappings) = &self.role_mappings {
            provider.role_mappings.clone_from(mappings);
        }
        provider
    }
}

impl NewSignInDomain {
    pub fn check(self) -> Result<String, Invalid> {
        let text = required("domain", self.domain)?;
        parse_domain(&text).ok_or_else(|| Invalid::new("domain must be a name such as example.com"))
    }
}

impl SignInRulesPatch {
    pub fn check(self) -> Result<bool, Invalid> {
        self.only_by_provider
            .ok_or_else(|| Invalid::new("only_by_provider is required"))
    }
}

/// A domain in lower case and ASCII, without a final dot. `None` for what is none, such as an address or a single label.
pub fn parse_domain(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('.');
    let Ok(Host::Domain(name)) = Host::parse(text) else {
        return None;
    };
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    (name.len() <= 240 && name.contains('.') && name.split('.').all(is_label)).then_some(name)
}

/// The domain of an address, as domains are stored.
pub(super) fn domain_of(email: &Email) -> Option<String> {
    parse_domain(email.domain())
}

fn issuer(providers: &Providers, text: Option<String>) -> Result<UserUrl, Invalid> {
    let url = providers
        .guard
        .parse("issuer", &required("issuer", text)?)?;
    if url.url().query().is_some() || url.url().fragment().is_some() {
        return Err(Invalid::new("issuer must have no query and no fragment"));
    }
    // Without TLS only in networks that the operator named, which is checked again at each call.
    if url.url().scheme() != "https" && providers.settings.allowed.is_empty() {
        return Err(Invalid::new("issuer must be an https URL"));
    }
    Ok(url)
}

fn bounded(field: &'static str, text: String) -> Result<String, Invalid> {
    if is_longer_than(&text, MAX_TEXT) || text.contains(char::is_control) {
        let words = format!("{field} must have at most 255 characters, none of them a control");
        return Err(Invalid::new(words));
    }
    Ok(text)
}

fn secret(secret: SecretString) -> Result<Option<SecretString>, Invalid> {
    let text = secret.expose_secret();
    if is_longer_than(text, MAX_TEXT) {
        return Err(Invalid::new(
            "client_secret must have at most 255 characters",
        ));
    }
    Ok((!text.is_empty()).then_some(secret))
}

/// A role that a provider may give. Owners are made by owners.
fn role(field: &'static str, text: &str) -> Result<Role, Invalid> {
    match Role::parse(text) {
        Ok(role) if role != Role::Owner => Ok(role),
        Ok(_) | Err(_) => Err(Invalid::new(format!(
            "{field} must be admin, developer or viewer"
        ))),
    }
}

fn mappings(raw: Vec<RawMapping>) -> Result<RoleMappings, Invalid> {
    if raw.len() > MAX_MAPPINGS {
        return Err(Invalid::new("role_mappings must be at most 100"));
    }
    let mut seen = HashSet::new();
    let mut checked = Vec::new();
    for RawMapping { value, role: text } in raw {
        let value = bounded(
            "role_mappings: value",
            required("role_mappings: value", value)?,
        )?;
        if !seen.insert(value.clone()) {
            return Err(Invalid::new("role_mappings must have each value once"));
        }
        let role = role("role_mappings: role", text.as_deref().unwrap_or_default())?;
        checked.push(RoleMapping { value, role });
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_a_name_of_several_labels_in_ascii() {
        let parsed = |text: &str| parse_domain(text);
        assert_eq!(parsed(" Example.COM. ").as_deref(), Some("example.com"));
        assert_eq!(
            parsed("bücher.example").as_deref(),
            Some("xn--bcher-kva.example")
        );
        for text in [
            "",
            "com",
            "127.0.0.1",
            "[::1]",
            "a b.example",
            "a@b.example",
            "https://a.example",
            "*.example.com",
            "_x.example.com",
            "a..example",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
