//! A plan beside the project that it is imported into: what is there already, and what that does to everything that depends on it.

use std::collections::{HashMap, HashSet};

use protocol::rule::TargetingRule;
use serving::page::Page;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{
    fit::{Fit, Fitted, FlagWithStates},
    model::{Item, ItemKind},
};
use crate::{
    environments::{self, model::Environment},
    flags::{
        self,
        model::Flag,
        states::{model::FlagState, store as states},
    },
    orgs::{self, Counted},
    segments::{self, model::Segment},
    version::{TOO_MANY_FLAGS, TOO_MANY_SEGMENTS, room},
};
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
};

/// As many as a project has at most.
const ENVIRONMENTS: Page = Page {
    limit: 200,
    offset: 0,
};

const THE_SAME: &str = "the key exists already, with the same meaning: there is nothing to import";
const DIFFERENT: &str = "the key exists already, with another meaning: it stays as it is";

const ARCHIVED: &str = "the key exists already, of an archived flag: it stays as it is";

const INEXACT: &str = "is not imported exactly";
const NOT_IMPORTED: &str = "is not imported";

/// What the target has under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    New,
    /// Something that answers the same.
    Same,
    /// Something else, which stays.
    Different,
    /// An archived flag, which stays archived.
    Archived,
}

/// What is imported, beside what is there.
#[derive(Debug)]
pub struct Compared {
    /// Environments, and the one that is reused.
    pub environments: Vec<(Fit<Environment>, Option<EnvId>)>,
    pub segments: Vec<(Fit<Segment>, Standing)>,
    pub flags: Vec<(Fit<FlagWithStates>, Standing)>,
    /// What nothing is made of.
    pub skipped: Vec<Item>,
}

/// Compares with the project as it is, and with what the plan of the organization allows now.
pub async fn compare(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    mut fitted: Fitted,
    now: OffsetDateTime,
) -> db::Result<Compared> {
    let environments = environments(conn, org_id, project_id, &mut fitted, now).await?;
    let mut compared = Compared {
        environments,
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
    let (flags, segments) = room(conn, org_id, project_id).await?;
    let Compared {
        segments: of,
        skipped,
        ..
    } = &mut compared;
    keep_first(of, segments, ItemKind::Segment, TOO_MANY_SEGMENTS, skipped);
    compared.spread_segments(&mut fitted.flags);
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
                Some(there) if there.archived_at.is_some() => Standing::Archived,
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
    let Compared {
        flags: of, skipped, ..
    } = &mut compared;
    keep_first(of, flags, ItemKind::Flag, TOO_MANY_FLAGS, skipped);
    compared.spread_flags();
    Ok(compared)
}

/// Leaves out what is new and has no room.
fn keep_first<T>(
    items: &mut Vec<(Fit<T>, Standing)>,
    mut room: i64,
    kind: ItemKind,
    why: &str,
    skipped: &mut Vec<Item>,
) {
    items.retain(|(fit, standing)| {
        room -= i64::from(*standing == Standing::New);
        let is_kept = *standing != Standing::New || room >= 0;
        if !is_kept {
            skipped.push(Item::skipped(kind, &fit.source, why));
        }
        is_kept
    });
}

/// The environments that there is room for, each with the one that is reused. The states of flags in others, and in protected ones,
/// are taken out.
async fn environments(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    fitted: &mut Fitted,
    now: OffsetDateTime,
) -> db::Result<Vec<(Fit<Environment>, Option<EnvId>)>> {
    let by_slug = environments_by_slug(conn, org_id, project_id).await?;
    let mut there = environments::store::count(conn, org_id, project_id).await?;
    let org = orgs::store::get(conn, org_id).await?;
    let mut kept = Vec::new();
    for fit in std::mem::take(&mut fitted.environments) {
        let slug = &fit.made.slug;
        let (reused, is_protected) = by_slug.get(slug).copied().unzip();
        if is_protected == Some(true) {
            for flag in &mut fitted.flags {
                flag.leave_out_protected(|protected| protected == slug);
            }
        }
        if reused.is_none() {
            if let Err(refusal) = org.allow_another(Counted::Environments, there, now) {
                for flag in &mut fitted.flags {
                    flag.leave_out(|missing| missing == slug);
                }
                let why = refusal.to_string();
                let skipped = Item::skipped(ItemKind::Environment, &fit.source, why);
                fitted.skipped.push(skipped);
                continue;
            }
            there += 1;
        }
        kept.push((fit, reused));
    }
    Ok(kept)
}

/// The environments of a project, and whether each is protected.
pub(super) async fn environments_by_slug(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<HashMap<String, (EnvId, bool)>> {
    let existing = environments::store::page(conn, org_id, project_id, ENVIRONMENTS).await?;
    let by_slug = existing.data.into_iter();
    Ok(by_slug
        .map(|environment| (environment.slug, (environment.id, environment.protected)))
        .collect())
}

/// 200 keys are looked up at once: their states may be large.
fn in_chunks<T>(mut items: Vec<T>) -> impl Iterator<Item = Vec<T>> {
    items.reverse();
    std::iter::from_fn(move || {
        let rest = items.len().saturating_sub(200);
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
        && there.bucketing == planned.bucketing
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
    /// What differs in a segment differs in every flag that uses it. Where there is another segment or none, nobody knows whom the
    /// flag keeps out.
    fn spread_segments(&self, flags: &mut [Fit<FlagWithStates>]) {
        let segments: HashMap<&str, Option<&str>> = self
            .segments
            .iter()
            .map(|(fit, standing)| (fit.made.key.as_str(), trouble(fit, *standing)))
            .collect();
        let trouble_of = |key: &str| {
            let known = segments.get(key).copied();
            known.unwrap_or(Some(NOT_IMPORTED))
        };
        for fit in flags {
            let FlagWithStates { states, .. } = &fit.made;
            let rules = states.iter().flat_map(|(_, state)| &state.rules);
            let used: HashSet<_> = rules.flat_map(|rule| &rule.segment_keys).collect();
            let mut used: Vec<String> = used.into_iter().cloned().collect();
            used.sort_unstable();
            for key in used {
                if let Some(trouble) = trouble_of(&key) {
                    fit.remarks
                        .approximate(format!("it uses the segment {key}, which {trouble}"));
                }
            }
            fit.switch_off(|state| {
                let mut used = state.rules.iter().flat_map(|rule| &rule.segment_keys);
                used.any(|key| trouble_of(key).is_some_and(|trouble| trouble != INEXACT))
            });
        }
    }

    /// What differs in a flag differs in every flag that requires it.
    fn spread_flags(&mut self) {
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
                let (fit, standing) = &mut self.flags[other];
                fit.remarks.approximate(words.clone());
                if trouble != INEXACT && *standing == Standing::New {
                    fit.switch_off(|_| true);
                }
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
        Standing::Archived => Item::skipped(kind, &fit.source, ARCHIVED),
    }
}

/// What is wrong with something that others depend on.
fn trouble<T>(fit: &Fit<T>, standing: Standing) -> Option<&'static str> {
    match standing {
        Standing::Different => Some("exists already with another meaning"),
        Standing::Archived => Some("exists already and is archived"),
        Standing::New | Standing::Same if !fit.remarks.is_empty() => Some(INEXACT),
        Standing::New | Standing::Same => None,
    }
}
