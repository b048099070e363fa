//! Providers, domains and the switch as the API shows them, and the rules for roles.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::members::model::Role;
use base::ids::{SignInDomainId, SignInProviderId};

/// An OpenID Connect provider by which members of the organization sign in, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SignInProvider)]
pub struct Provider {
    /// Its id.
    pub id: SignInProviderId,
    /// What people call it; those who sign in choose by it.
    pub name: String,
    /// Compared exactly with what the provider says of itself.
    pub issuer: String,
    /// By which the provider knows this service.
    pub client_id: String,
    /// Whether a client secret is stored.
    pub has_secret: bool,
    /// Whether a first sign-in makes a member.
    pub provisions_members: bool,
    /// The role of members made at their first sign-in, and of those whose claim is mapped to none.
    pub default_role: Role,
    /// The claim that roles are taken from at each sign-in; `null` where Halyard keeps them.
    #[schema(required)]
    pub role_claim: Option<String>,
    /// What the values of the claim stand for. Of several the highest role counts.
    pub role_mappings: RoleMappings,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What a provider calls a member, who is recognised by it at each sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SignInIdentity)]
pub struct Identity {
    /// The id of the provider.
    pub provider_id: SignInProviderId,
    /// What people call the provider.
    pub provider_name: String,
    /// The `sub` of the provider's ID tokens.
    pub subject: String,
    /// When the member first signed in so.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When they last did.
    #[serde(with = "time::serde::rfc3339")]
    pub last_used_at: OffsetDateTime,
}

pub type RoleMappings = Vec<RoleMapping>;

/// The role that a value of the claim stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RoleMapping {
    /// Compared exactly.
    pub value: String,
    /// `admin`, `developer` or `viewer`.
    pub role: Role,
}

impl Provider {
    /// The role that the values of the claim stand for: the highest one that is mapped, else the default. Never an owner's.
    pub fn role_for(&self, values: &[String]) -> Role {
        let mapped = self
            .role_mappings
            .iter()
            .filter(|mapping| mapping.role != Role::Owner && values.contains(&mapping.value))
            .map(|mapping| mapping.role);
        mapped
            .reduce(|one, other| if other.is_above(one) { other } else { one })
            .unwrap_or(self.default_role)
    }
}

/// A domain whose addresses the organization's providers may vouch for once it is proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SignInDomain)]
pub struct Domain {
    /// Its id.
    pub id: SignInDomainId,
    /// The name, in lower case and ASCII. Subdomains are domains of their own.
    pub domain: String,
    /// The name of the TXT record that proves it.
    pub record_name: String,
    /// What the record must hold.
    pub record_value: String,
    /// When it was proven; `null` until then.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub proven_at: Option<OffsetDateTime>,
    /// When it was added.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl Domain {
    pub(super) fn new(
        id: SignInDomainId,
        domain: String,
        token: &str,
        proven_at: Option<OffsetDateTime>,
        created_at: OffsetDateTime,
    ) -> Self {
        Self {
            record_name: format!("_halyard.{domain}"),
            record_value: format!("halyard-domain-verification={token}"),
            id,
            domain,
            proven_at,
            created_at,
        }
    }

    /// Whether one of these TXT records proves it.
    pub fn is_proven_by(&self, records: &[String]) -> bool {
        records
            .iter()
            .any(|record| record.trim() == self.record_value)
    }
}

/// How members of the organization sign in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SignInRules)]
pub struct Rules {
    /// Whether members other than owners sign in by a provider alone.
    pub only_by_provider: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider(mappings: &[(&str, Role)]) -> Provider {
        let now = OffsetDateTime::UNIX_EPOCH;
        Provider {
            id: SignInProviderId::new(now),
            name: "Okta".to_owned(),
            issuer: "https://login.example".to_owned(),
            client_id: "halyard".to_owned(),
            has_secret: false,
            provisions_members: true,
            default_role: Role::Viewer,
            role_claim: Some("groups".to_owned()),
            role_mappings: mappings
                .iter()
                .map(|&(value, role)| RoleMapping {
                    value: value.to_owned(),
                    role,
                })
                .collect(),
            created_at: now,
            updated_at: now,
        }
    }

    #[test]
    fn of_several_roles_the_highest_counts_and_no_claim_makes_owners() {
        let provider = provider(&[
            ("staff", Role::Developer),
            ("leads", Role::Admin),
            ("staff", Role::Viewer),
            ("root", Role::Owner),
        ]);
        let role = |values: &[&str]| {
            let values: Vec<_> = values.iter().map(|&value| value.to_owned()).collect();
            provider.role_for(&values)
        };
        assert_eq!(role(&["staff", "leads"]), Role::Admin);
        assert_eq!(role(&["staff"]), Role::Developer);
        assert_eq!(role(&["root"]), Role::Viewer);
        assert_eq!(role(&["Staff", ""]), Role::Viewer);
        assert_eq!(role(&[]), Role::Viewer);
    }

    #[test]
    fn only_the_whole_record_proves_a_domain() {
        let now = OffsetDateTime::UNIX_EPOCH;
        let domain = Domain::new(
            SignInDomainId::new(now),
            "example.com".to_owned(),
            "abc",
            None,
            now,
        );
        assert_eq!(domain.record_name, "_halyard.example.com");
        let proves = |record: &str| domain.is_proven_by(&[record.to_owned()]);
        assert!(proves("halyard-domain-verification=abc"));
        assert!(proves(" halyard-domain-verification=abc\t"));
        for other in [
            "",
            "abc",
            "halyard-domain-verification=abcd",
            "halyard-domain-verification=ABC",
        ] {
            assert!(!proves(other), "{other}");
        }
    }
}
