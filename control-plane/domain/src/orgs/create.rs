//! Creating an organization with a unique slug.

use time::OffsetDateTime;

use super::{
    model::{Organization, Plan},
    settings::FirstPlan,
    store,
};
use base::{
    db::{self, Tx},
    ids::OrgId,
    input::Slug,
};

/// Creates an organization on the default plan. A slug that is taken, or reads like an id, gets `-` and six hex digits:
/// operators name organizations by either.
pub async fn create(
    tx: &mut Tx,
    name: String,
    data_region: &str,
    first_plan: FirstPlan,
    now: OffsetDateTime,
) -> db::Result<Organization> {
    let base = Slug::generate(&name);
    let FirstPlan { plan, trial_length } = first_plan;
    let mut org = Organization {
        id: OrgId::new(now),
        name,
        slug: base.as_str().to_owned(),
        plan,
        trial_expires_at: (plan == Plan::Trial).then(|| now + trial_length),
        created_at: now,
        updated_at: now,
    };
    if OrgId::parse(base.as_str()).is_some() {
        org.slug = distinguished(base.as_str());
    }
    while !store::insert(tx, &org, data_region).await? {
        org.slug = distinguished(base.as_str());
    }
    Ok(org)
}

fn distinguished(slug: &str) -> String {
    let suffix = format!("-{}", hex::encode(rand::random::<[u8; 3]>()));
    // Generated slugs are ASCII.
    let kept = &slug[..slug.len().min(100 - suffix.len())];
    format!("{}{suffix}", kept.trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suffix_tells_equal_names_apart_within_the_limit() {
        let slug = distinguished("acme");
        assert!(slug.starts_with("acme-"), "{slug}");
        assert_eq!(slug.len(), "acme-123abc".len());
        assert!(
            slug[5..].bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{slug}"
        );
        assert_eq!(distinguished(&"a".repeat(100)).len(), 100);
    }
}
