//! A plan beside the project that it is imported into: what is there already, and what that does to everything that depends on it.

use std::collections::{HashMap, HashSet};

use protocol::rule::TargetingRule;
use serving::page::Page;
use sqlx::PgConnection;

use super::{
    fit::{Fit, Fitted, FlagWithStates},
    model::{Item, ItemKind},
};
use crate::{
    db,
    environments::{self, model::Environment},
    flags::{
        self,
        model::Flag,
        states::{model::FlagState, store as states},
    },
    ids::{EnvId, OrgId, ProjectId},
    segments::{self, model::Segment},
};

/// Keys that are looked up at once. Their states may be large.
const CHUNK: usize = 200;
/// As many as a project has at most.
const ENVIRONMENTS: Page = Page {
    limit: 200,
    offset: 0,
};

const THE_SAME: &str = "the key exists already, with the same meaning: there is nothing to import";
const DIFFERENT: &str = "the key exists already, with another meaning: it stays as it is";

/// What the target has under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    New,
    /// Something that answers the same.
    Same,
    /// Something else, which stays.
    Different,
}

/// What is imported, beside what is there.
#[derive(Debug)]
pub struct Compared {
    /// Environments, and the one that is reused.
    pub environments: Vec<(Fit<Environment>, Option<EnvId>)>,
    /// Segments.
    pub segments: Vec<(Fit<Segment>, Standing)>,
    /// Flags.
    pub flags: Vec<(Fit<FlagWithStates>, Standing)>,
    /// What nothing is made of.
    pub skipped: Vec<Item>,
}

/// Compares with the project as it is.
pub async fn compare(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    fitted: Fitted,
) -> db::Result<Compared> {
    let by_slug = environments_by_slug(conn, org_id, project_id).await?;
    let environments = fitted.environments.into_iter().map(|fit| {
        let reused = by_slug.get(&fit.made.slug).copied();
        (fit, reused)
    });
    let mut compared = Compared {
        environments: environments.collect(),
        segments: Vec::with_capacity(fitted.segments.len()),
        flags: Vec::with_capacity(fitted.flags.len()),
        skipped: fitted.skipped,
    };
    for fits in in_chunks(fitted.segments) {
        let keys: Vec<_> = fits.iter().map(|fit| fit.made.key.clone()).collect();
        let found = segments::store::find_among(conn, org_id, project_id, &keys).await?;
        let found: HashMap<_, _> = found.iter().map(|one| (one.key.as_str(), one)).collect();
        compared.segments.extend(fits.into_iter().map(|fit| {
            let standing = match found.get(fit.made.key.as_str()) {
                None => Standing::New,
                Some(there) if is_same_segment(&fit.made, there) => Standing::Same,
                Some(_) => Standing::Different,
            };
            (fit, standing)
        }));
    }
    for fits in in_chunks(fitted.flags) {
        let keys: Vec<_> = fits.iter().map(|fit| fit.made.flag.key.clone()).collect();
        let found = flags::store::find_among(conn, org_id, project_id, &keys).await?;
        let ids: Vec<_> = found.iter().map(|flag| flag.id).collect();
        let mut stated: HashMap<_, HashMap<EnvId, FlagState>> = HashMap::new();
        for one in states::find_of_flags(conn, org_id, &ids).await? {
            let states = stated.entry(one.flag_id).or_default();
            states.insert(one.env_id, one.state);
        }
        let found: HashMap<_, _> = found.iter().map(|flag| (flag.key.as_str(), flag)).collect();
        for fit in fits {
            let standing = match found.get(fit.made.flag.key.as_str()) {
                None => Standing::New,
                Some(there) => {
                    let states = stated.remove(&there.id).unwrap_or_default();
                    if is_same_flag(&fit.made, there, &states, &compared.environments) {
                        Standing::Same
                    } else {
                        Standing::Different
                    }
                }
            };
            compared.flags.push((fit, standing));
        }
    }
    compared.spread();
    Ok(compared)
}

/// The project's environments.
pub(super) async fn environments_by_slug(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<HashMap<String, EnvId>> {
    let existing = environments::store::page(conn, org_id, project_id, ENVIRONMENTS).await?;
    let by_slug = existing.data.into_iter();
    Ok(by_slug
        .map(|environment| (environment.slug, environment.id))
        .collect())
}

fn in_chunks<T>(mut items: Vec<T>) -> impl Iterator<Item = Vec<T>> {
    items.reverse();
    std::iter::from_fn(move || {
        let rest = items.len().saturating_sub(CHUNK);
        let mut chunk = items.split_off(rest);
        chunk.reverse();
        (!chunk.is_empty()).then_some(chunk)
    })
}

fn is_same_segment(planned: &Segment, there: &Segment) -> bool {
    planned.match_type == there.match_type && planned.rules == there.rules
}

fn is_same_flag(
    planned: &FlagWithStates,
    there: &Flag,
    states: &HashMap<EnvId, FlagState>,
    environments: &[(Fit<Environment>, Option<EnvId>)],
) -> bool {
    let flag = &planned.flag;
    let set = |keys: &[String]| keys.iter().cloned().collect::<HashSet<_>>();
    let is_same_flag = flag.flag_type == there.flag_type
        && flag.default_value == there.default_value
        && flag.mutual_exclusion_group == there.mutual_exclusion_group
        && set(&flag.prerequisites) == set(&there.prerequisites);
    is_same_flag
        && environments.iter().all(|(environment, reused)| {
            let slug = &environment.made.slug;
            let planned = planned.states.iter().find(|(of, _)| of == slug);
            let there = reused.and_then(|env_id| states.get(&env_id));
            match (planned.map(|(_, state)| state), there) {
                (None, None) => true,
                (Some(state), None) | (None, Some(state)) => !state.enabled,
                (Some(planned), Some(there)) => is_same_state(planned, there),
            }
        })
}

fn is_same_state(planned: &FlagState, there: &FlagState) -> bool {
    planned.enabled == there.enabled
        && planned.default_value == there.default_value
        && planned.percentage_rollout == there.percentage_rollout
        && there.variants == planned.variants
        && there.scheduled_enable_at.is_none()
        && there.scheduled_disable_at.is_none()
        && in_order(&planned.rules) == in_order(&there.rules)
}

/// The rules as they are tried, without what does not matter for an answer.
fn in_order(rules: &[TargetingRule]) -> Vec<TargetingRule> {
    let mut rules: Vec<_> = rules
        .iter()
        .map(|rule| TargetingRule {
            id: String::new(),
            description: String::new(),
            ..rule.clone()
        })
        .collect();
    rules.sort_by_key(|rule| rule.priority);
    for rule in &mut rules {
        rule.priority = None;
    }
    rules
}

impl Compared {
    /// What differs in a segment differs in every flag that uses it, and what differs in a flag in every flag that requires it.
    fn spread(&mut self) {
        let segments: HashMap<&str, Option<&str>> = self
            .segments
            .iter()
            .map(|(fit, standing)| (fit.made.key.as_str(), trouble(fit, *standing)))
            .collect();
        for (fit, _) in &mut self.flags {
            let FlagWithStates { states, .. } = &fit.made;
            let rules = states.iter().flat_map(|(_, state)| &state.rules);
            let used: HashSet<_> = rules.flat_map(|rule| &rule.segment_keys).collect();
            let mut used: Vec<_> = used.into_iter().collect();
            used.sort_unstable();
            for key in used {
                let trouble = segments.get(key.as_str()).copied();
                if let Some(trouble) = trouble.unwrap_or(Some("is not imported")) {
                    fit.remarks
                        .approximate(format!("it uses the segment {key}, which {trouble}"));
                }
            }
        }

        let places: HashMap<String, usize> = self
            .flags
            .iter()
            .enumerate()
            .map(|(place, (fit, _))| (fit.made.flag.key.clone(), place))
            .collect();
        let mut requiring = vec![Vec::new(); self.flags.len()];
        for (place, (fit, _)) in self.flags.iter_mut().enumerate() {
            for key in &fit.made.flag.prerequisites {
                match places.get(key) {
                    Some(&required) => requiring[required].push(place),
                    None => fit
                        .remarks
                        .approximate(format!("it requires the flag {key}, which is not imported")),
                }
            }
        }
        let mut troubled: Vec<_> = (0..self.flags.len())
            .filter(|&place| self.trouble_at(place).is_some())
            .collect();
        let mut told: HashSet<_> = troubled.iter().copied().collect();
        while let Some(place) = troubled.pop() {
            let Some(trouble) = self.trouble_at(place) else {
                continue;
            };
            let key = &self.flags[place].0.made.flag.key;
            let words = format!("it requires the flag {key}, which {trouble}");
            for &other in &requiring[place] {
                self.flags[other].0.remarks.approximate(words.clone());
                if told.insert(other) {
                    troubled.push(other);
                }
            }
        }
    }

    fn trouble_at(&self, place: usize) -> Option<&'static str> {
        let (fit, standing) = &self.flags[place];
        trouble(fit, *standing)
    }

    /// What becomes of each item, in the order of their kinds.
    pub fn items(&self) -> impl Iterator<Item = Item> {
        let environments = self.environments.iter().map(|(fit, _)| {
            let slug = &fit.made.slug;
            Item::kept(ItemKind::Environment, &fit.source, slug, &fit.remarks)
        });
        let segments = self
            .segments
            .iter()
            .map(|(fit, standing)| item(ItemKind::Segment, fit, &fit.made.key, *standing));
        let flags = self
            .flags
            .iter()
            .map(|(fit, standing)| item(ItemKind::Flag, fit, &fit.made.flag.key, *standing));
        let skipped = self.skipped.iter().cloned();
        environments.chain(segments).chain(flags).chain(skipped)
    }
}

/// What becomes of a segment or a flag.
pub fn item<T>(kind: ItemKind, fit: &Fit<T>, key: &str, standing: Standing) -> Item {
    let kept = Item::kept(kind, &fit.source, key, &fit.remarks);
    match standing {
        Standing::New => kept,
        Standing::Same => {
            let mut item = kept;
            item.reasons.insert(0, THE_SAME.to_owned());
            item
        }
        Standing::Different => Item::skipped(kind, &fit.source, DIFFERENT),
    }
}

/// What is wrong with something that others depend on.
fn trouble<T>(fit: &Fit<T>, standing: Standing) -> Option<&'static str> {
    match standing {
        Standing::Different => Some("exists already with another meaning"),
        Standing::New | Standing::Same if !fit.remarks.is_empty() => {
            Some("is not imported exactly")
        }
        Standing::New | Standing::Same => None,
    }
}
