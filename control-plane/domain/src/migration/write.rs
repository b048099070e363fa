//! Writing what is imported: many items under one lock and one version.
//!
//! A flag is written with all its states, or not at all, together with its line in the report and the count of the job: whatever
//! happens to the process, the report tells what is there. Edges hear of a batch as of one change.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{
    Prepared,
    batches::{Work, batches},
    fit::Fit,
    model::{Item, ItemKind},
    run::{Import, require_starter},
    store::{self, Done},
    target::{Compared, environments_by_slug},
};
use crate::{
    environments::{self, model::Environment},
    flags::{
        change::{Authority, create_all},
        edit,
        model::Flag,
        states::store::Stated,
    },
    members,
    migration::Migrations,
    segments,
    unit::{Committed, ProjectChange, Recorded, Unit},
};
use base::{
    ids::EnvId,
    refusal::{Missing, Refusal},
};

/// Rows of a statement.
const ROWS: usize = 1_000;

/// Writes everything that is not there yet.
pub(super) async fn write(
    migrations: &Migrations,
    import: &Import,
    prepared: Prepared,
) -> Result<(), Refusal> {
    let Prepared { totals, compared } = prepared;
    let Compared {
        environments,
        segments,
        flags,
        skipped,
    } = compared;
    let (mut settled, batches) = batches(segments, flags);
    settled.extend(skipped);
    let mut writer = Writer {
        migrations,
        import,
        wanted: environments.into_iter().map(|(fit, _)| fit).collect(),
        environments: HashMap::new(),
        not_made: HashSet::new(),
        next_position: 0,
    };
    writer
        .begin(&settled, totals.flags.try_into().unwrap_or(i32::MAX))
        .await?;
    let mut batches = VecDeque::from(batches);
    let mut refused_in_a_row = 0;
    while let Some(mut batch) = batches.pop_front() {
        writer.remark(&mut batch);
        match writer.write(&mut batch).await {
            Ok(()) => refused_in_a_row = 0,
            Err(Refusal::Invalid(words) | Refusal::Conflict(words)) => {
                // Where 20 items were refused by themselves, one after the other, a bound of the project is reached.
                if batch.len() > 1 && refused_in_a_row < 20 {
                    let second = batch.split_off(batch.len() / 2);
                    batches.push_front(second);
                    batches.push_front(batch);
                } else {
                    refused_in_a_row += 1;
                    writer.refuse(&batch, &words).await?;
                }
            }
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(())
}

struct Writer<'a> {
    migrations: &'a Migrations,
    import: &'a Import,
    /// Environments of the source, until they are there.
    wanted: Vec<Fit<Environment>>,
    /// Those that are there, by slug.
    environments: HashMap<String, EnvId>,
    /// What was refused only when it was written, by kind and key.
    not_made: HashSet<(ItemKind, String)>,
    next_position: i64,
}

impl Writer<'_> {
    /// Says what is settled, and how many flags there are.
    async fn begin(&mut self, settled: &[Item], flags_total: i32) -> Result<(), Refusal> {
        let done = Done {
            flags_total: Some(flags_total),
            ..Done::default()
        };
        let mut unit = self.unit().await?;
        self.report(&mut unit, settled, done).await?;
        unit.commit_unrecorded().await?;
        self.next_position += count(settled);
        Ok(())
    }

    /// Writes a batch in one unit of work.
    async fn write(&mut self, batch: &mut [Work]) -> Result<(), Refusal> {
        let mut unit = self.unit().await?;
        let mut items = Vec::new();
        let mut done = Done::default();
        let mut recorded = None;
        let project_id = self.import.project_id;
        let mut change = unit
            .lock_project(&self.migrations.clock, project_id)
            .await?
            .ok_or(Missing::Project)?;
        let made = self
            .environments(&mut change, &mut items, &mut recorded)
            .await?;
        done.environments = made.len().try_into().unwrap_or(i32::MAX);
        let environments = if self.wanted.is_empty() {
            &self.environments
        } else {
            &made
        };

        // Read under the lock: it may have been set since the comparison.
        let org_id = change.org_id();
        let protected =
            environments::store::list_protected(&mut change, org_id, project_id).await?;
        let is_protected = |slug: &str| {
            let env_id = environments.get(slug);
            env_id.is_some_and(|env_id| protected.iter().any(|(id, _)| id == env_id))
        };

        let mut new_segments = Vec::new();
        let mut new_flags: Vec<Flag> = Vec::new();
        let mut stated = Vec::new();
        for work in batch {
            if let Work::Flag(fit) = work {
                fit.leave_out(|slug| !environments.contains_key(slug));
                fit.leave_out_protected(is_protected);
            }
            items.push(work.item());
            match work {
                Work::Segment(fit) => new_segments.push(fit.made.clone()),
                Work::Flag(fit) => {
                    new_flags.push(fit.made.flag.clone());
                    let of_flag = fit.made.states.iter().filter_map(|(slug, state)| {
                        Some(Stated {
                            flag_id: fit.made.flag.id,
                            env_id: *environments.get(slug)?,
                            state: state.clone(),
                        })
                    });
                    stated.extend(of_flag);
                }
            }
        }
        done.segments = new_segments.len().try_into().unwrap_or(i32::MAX);
        done.flags = new_flags.len().try_into().unwrap_or(i32::MAX);
        for segments in new_segments.chunks(ROWS) {
            recorded = Some(segments::change::create_all(&mut change, segments).await?);
        }
        for flags in new_flags.chunks(ROWS) {
            recorded = Some(edit::create_all(&mut change, flags).await?);
        }
        for stated in stated.chunks(ROWS) {
            let created = create_all(&mut change, stated.to_vec(), Authority::Import).await?;
            recorded = Some(created);
        }

        // Last, so that whoever started it is not held for long; the organization's lock, which environments take, comes before.
        let running = self.import.running;
        members::store::hold_standing(&mut unit, running.org_id, running.started_by).await?;
        require_starter(&mut unit, running).await?;
        self.report(&mut unit, &items, done).await?;
        match recorded {
            Some(recorded) => {
                let Committed { change, .. } = unit.commit(recorded).await?;
                if let Some(change) = change {
                    self.migrations.publisher.reached(&change).await;
                }
            }
            None => unit.commit_unrecorded().await?,
        }
        if !self.wanted.is_empty() {
            self.environments = made;
            self.wanted.clear();
        }
        self.next_position += count(&items);
        Ok(())
    }

    /// Reuses or creates the environments, with the first batch. A project or plan that has no room for one goes without it.
    async fn environments(
        &self,
        change: &mut ProjectChange<'_>,
        items: &mut Vec<Item>,
        recorded: &mut Option<Recorded<()>>,
    ) -> Result<HashMap<String, EnvId>, Refusal> {
        let mut there = HashMap::new();
        if self.wanted.is_empty() {
            return Ok(there);
        }
        let (org_id, project_id) = (change.org_id(), change.project().id);
        let existing = environments_by_slug(change, org_id, project_id).await?;
        for fit in &self.wanted {
            let slug = &fit.made.slug;
            let kind = ItemKind::Environment;
            let env_id = match existing.get(slug) {
                Some(&(env_id, _)) => env_id,
                None => match environments::change::create(change, fit.made.clone()).await {
                    Ok(created) => {
                        *recorded = Some(created.map(drop));
                        fit.made.id
                    }
                    // Refused before anything was written.
                    Err(Refusal::Plan(words)) => {
                        items.push(Item::skipped(kind, &fit.source, words));
                        continue;
                    }
                    Err(Refusal::Invalid(words)) => {
                        items.push(Item::skipped(kind, &fit.source, words));
                        continue;
                    }
                    Err(refusal) => return Err(refusal),
                },
            };
            items.push(Item::kept(kind, &fit.source, slug, &fit.remarks));
            there.insert(slug.clone(), env_id);
        }
        Ok(there)
    }

    /// Says that these are not imported, which a bound of the project or somebody else's write forbids.
    async fn refuse(&mut self, batch: &[Work], words: &str) -> Result<(), Refusal> {
        self.not_made.extend(batch.iter().map(Work::name));
        let items: Vec<_> = batch.iter().map(|work| work.refused(words)).collect();
        let mut unit = self.unit().await?;
        self.report(&mut unit, &items, Done::default()).await?;
        unit.commit_unrecorded().await?;
        self.next_position += count(&items);
        Ok(())
    }

    /// Flags that need something which was refused only now differ from their source. What they need comes before them.
    fn remark(&self, batch: &mut [Work]) {
        if self.not_made.is_empty() {
            return;
        }
        let is_missing = |kind, key: &&String| self.not_made.contains(&(kind, String::clone(key)));
        for work in batch {
            let Work::Flag(fit) = work else { continue };
            let rules = fit.made.states.iter().flat_map(|(_, state)| &state.rules);
            let used: HashSet<_> = rules
                .flat_map(|rule| &rule.segment_keys)
                .filter(|key| is_missing(ItemKind::Segment, key))
                .cloned()
                .collect();
            for key in used {
                let words = format!("it uses the segment {key}, which is not imported");
                fit.remarks.approximate(words);
            }
            fit.switch_off(|state| {
                let mut used = state.rules.iter().flat_map(|rule| &rule.segment_keys);
                used.any(|key| is_missing(ItemKind::Segment, &key))
            });
            let required = fit.made.flag.prerequisites.iter();
            for key in required.filter(|key| is_missing(ItemKind::Flag, key)) {
                let words = format!("it requires the flag {key}, which is not imported");
                fit.remarks.approximate(words);
            }
        }
    }

    async fn report(&self, unit: &mut Unit, items: &[Item], done: Done) -> Result<(), Refusal> {
        let running = self.import.running;
        let (org_id, id) = (running.org_id, running.id);
        if !store::advance(unit, org_id, id, &done).await? {
            // Somebody took this process for dead.
            return Err(Refusal::Unavailable {
                words: "the import has been ended",
                retry_after: None,
            });
        }
        let mut first = self.next_position;
        for items in items.chunks(ROWS) {
            store::insert_items(unit, org_id, id, first, items).await?;
            first += count(items);
        }
        Ok(())
    }

    async fn unit(&self) -> Result<Unit, Refusal> {
        let Migrations { db, clock, .. } = self.migrations;
        let org_id = self.import.running.org_id;
        Ok(Unit::begin(db, org_id, self.import.actor(), clock.now()).await?)
    }
}

fn count<T>(items: &[T]) -> i64 {
    items.len().try_into().unwrap_or(i64::MAX)
}
