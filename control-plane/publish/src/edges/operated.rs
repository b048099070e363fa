//! Edges that an account enrolls and revokes by the API, as an operator whom the installation names.

use serde::Serialize;
use time::{Duration, OffsetDateTime};

use super::{Enrolled, Enrolment, issue, model::EdgeCertificate, withdraw};
use crate::tls::Authority;
use base::{
    ids::UserId,
    refusal::{Missing, Refusal},
};
use domain::{
    accounts::{email::Email, model::User, store::users},
    events::{Action, EdgeName, Event, Subject},
    unit::{OrgChange, Recorded},
};

pub const MAY_NOT_ENROLL: &str = "only operators of this service may enroll edges (FLEET_OPERATORS): ask one to run `halyard edge enroll --name NAME --out FOLDER`";
pub const MAY_NOT_REVOKE: &str = "only operators of this service may revoke edges (FLEET_OPERATORS): ask one to run `halyard edge revoke NAME`";

/// Whether an account is one of the operators, and its address is proven.
pub fn is_operator(operators: &[Email], user: &User) -> bool {
    let mut operators = operators.iter();
    user.email_verified && operators.any(|one| one.as_str() == user.email)
}

/// Who acts, and who may.
#[derive(Clone, Copy, Debug)]
pub struct Acting<'a> {
    pub user_id: UserId,
    pub operators: &'a [Email],
}

impl Acting<'_> {
    /// The address of the account, in the transaction of what it does.
    async fn account(
        self,
        org: &mut OrgChange<'_>,
        otherwise: &'static str,
    ) -> Result<String, Refusal> {
        let user = users::get(org, self.user_id).await?;
        if is_operator(self.operators, &user) {
            Ok(user.email)
        } else {
            Err(Refusal::Forbidden(otherwise))
        }
    }
}

/// A checked body.
#[derive(Debug)]
pub struct NewEdge {
    pub name: String,
    pub region: Option<String>,
    pub life: Duration,
}

/// An edge as the audit log shows it.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    region: Option<&'a str>,
    #[serde(with = "time::serde::rfc3339")]
    expires_at: OffsetDateTime,
}

impl<'a> From<&'a EdgeCertificate> for Shown<'a> {
    fn from(edge: &'a EdgeCertificate) -> Self {
        Self {
            name: &edge.name,
            region: edge.region.as_deref(),
            expires_at: edge.expires_at,
        }
    }
}

/// Enrolls an edge.
pub async fn enroll(
    org: &mut OrgChange<'_>,
    acting: Acting<'_>,
    authority: &Authority,
    new: &NewEdge,
) -> Result<Recorded<Enrolled>, Refusal> {
    let account = acting.account(org, MAY_NOT_ENROLL).await?;
    let enrolment = Enrolment {
        name: &new.name,
        region: new.region.as_deref(),
        life: new.life,
        is_relay: false,
    };
    let now = org.now();
    let enrolled = issue(org, authority, enrolment, Some(&account), now).await?;
    let event = Event::created(
        Action::EdgeEnrolled,
        Subject::Edge(EdgeName::new(&new.name)),
        &Shown::from(&enrolled.edge),
    );
    Ok(org.record(event, enrolled).await?)
}

/// Revokes an edge.
pub async fn revoke(
    org: &mut OrgChange<'_>,
    acting: Acting<'_>,
    edge: &EdgeCertificate,
) -> Result<Recorded<()>, Refusal> {
    let account = acting.account(org, MAY_NOT_REVOKE).await?;
    let now = org.now();
    if !withdraw(org, &edge.name, Some(&account), now).await? {
        return Err(Missing::Edge.into());
    }
    let subject = Subject::Edge(EdgeName::new(&edge.name));
    let event = Event::deleted(Action::EdgeRevoked, subject, &Shown::from(edge));
    Ok(org.record(event, ()).await?)
}
