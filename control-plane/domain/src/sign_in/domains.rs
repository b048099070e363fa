//! Adding, proving and removing domains. A domain is proven by a TXT record, or by an operator, and for one organization only.

use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};

use super::{Providers, model::Domain, records::EACH, store::domains};
use crate::{
    events::{Action, Event, Subject},
    unit::{OrgChange, Recorded},
};
use base::{
    ids::{OrgId, SignInDomainId},
    outbound::texts::TextsError,
    refusal::{Missing, Refusal},
};

const MAX_DOMAINS: i64 = 50;
const TAKEN: &str =
    "the domain is proven for another organization: ask whoever operates this installation";

/// Adds a domain that is still to be proven.
///
/// # Panics
/// When the operating system cannot provide random numbers.
pub async fn add(change: &mut OrgChange<'_>, domain: String) -> Result<Recorded<Domain>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    if domains::count(change, org_id).await? >= MAX_DOMAINS {
        return Err(Refusal::invalid("an organization has at most 50 domains"));
    }
    let token: [u8; 24] = UnwrapErr(SysRng).random();
    let token = hex::encode(token);
    let domain = Domain::new(SignInDomainId::new(now), domain, &token, None, now);
    domains::insert(change, org_id, &domain, &token).await?;
    let subject = Subject::SignInDomain(domain.id);
    let event = Event::created(Action::SignInDomainAdded, subject, &domain);
    Ok(change.record(event, domain).await?)
}

impl Providers {
    /// Refuses a domain whose TXT record is not there. Asks name servers: not to be called under a lock.
    pub async fn check_record(&self, org_id: OrgId, domain: &Domain) -> Result<(), Refusal> {
        match self.texts.look_up(&domain.record_name, org_id).await {
            Ok(records) if domain.is_proven_by(&records) => Ok(()),
            Ok(_) => Err(Refusal::conflict(
                "the TXT record is not there: it may take a while until name servers have it",
            )),
            Err(TextsError::Busy(full)) => Err(full.into()),
            Err(error @ (TextsError::NoServer | TextsError::NoAnswer(_))) => {
                tracing::warn!(
                    error = serving::error::chain(&error),
                    org.id = %org_id,
                    "the record of a domain was not looked up",
                );
                Err(Refusal::Upstream(
                    "the name servers of the domain do not answer".into(),
                ))
            }
        }
    }
}

/// Marks a domain as proven. Records nothing if it already is.
pub async fn prove(
    change: &mut OrgChange<'_>,
    id: SignInDomainId,
) -> Result<Recorded<Domain>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let before = find(change, id).await?;
    if before.proven_at.is_some() {
        return Ok(change.unchanged(before));
    }
    if !domains::update_proven(change, org_id, id, (now, now + EACH)).await? {
        return Err(Refusal::conflict(TAKEN));
    }
    let domain = Domain {
        proven_at: Some(now),
        ..before.clone()
    };
    let subject = Subject::SignInDomain(id);
    let event = Event::updated(Action::SignInDomainProven, subject, &before, &domain);
    Ok(change.record(event, domain).await?)
}

/// Removes a domain: providers no longer vouch for its addresses. Those who have signed in stay recognised.
pub async fn remove(
    change: &mut OrgChange<'_>,
    id: SignInDomainId,
) -> Result<Recorded<()>, Refusal> {
    let org_id = change.org_id();
    let domain = find(change, id).await?;
    domains::delete(change, org_id, id).await?;
    let subject = Subject::SignInDomain(id);
    let event = Event::deleted(Action::SignInDomainRemoved, subject, &domain);
    Ok(change.record(event, ()).await?)
}

/// Proves a domain as an operator, who vouches for it; adds it if need be. Its record is not looked for.
pub async fn prove_as_operator(
    change: &mut OrgChange<'_>,
    name: String,
) -> Result<Recorded<Domain>, Refusal> {
    let org_id = change.org_id();
    let (id, proven) = match domains::find_by_name(change, org_id, &name).await? {
        Some(domain) => (domain.id, prove(change, domain.id).await?),
        None => {
            let mut id = None;
            let added = add(change, name).await?.map(|domain| id = Some(domain.id));
            let id = id.expect("it was just added");
            let proven = prove(change, id).await?;
            (id, added.and(proven).map(|((), domain)| domain))
        }
    };
    domains::update_vouched(change, org_id, id).await?;
    Ok(proven)
}

async fn find(change: &mut OrgChange<'_>, id: SignInDomainId) -> Result<Domain, Refusal> {
    let org_id = change.org_id();
    let found = domains::find(change, org_id, id).await?;
    found.ok_or(Missing::SignInDomain.into())
}
