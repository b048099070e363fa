//! The flags of a change: their own fields.

use std::{collections::HashMap, time::Instant};

use super::{Making, problems::Names, states::OfFlag};
use crate::{
    content::input::GivenFlag,
    flags::{
        history::model::changed_fields,
        model::{Archived, Flag, FlagType},
    },
    unit::Wish as _,
};
use base::{input::Key, refusal::Refusal};

const FIELDS: [&str; 9] = [
    "key",
    "name",
    "description",
    "flag_type",
    "default_value",
    "tags",
    "prerequisites",
    "mutual_exclusion_group",
    "permanent",
];

const TOO_LONG: Refusal = Refusal::Unavailable {
    words: "the definitions take too long to check: send fewer of them at once",
    retry_after: None,
};

impl Making<'_> {
    pub(super) fn flags(&mut self, deadline: Instant) -> Result<(), Refusal> {
        let (given, removal, found) = (self.given, self.removal, self.found);
        let removed = removal.flags.as_deref().unwrap_or_default();
        let mut names = Names::new("flags", removed);
        let env_ids = self.env_ids();
        let known = self.known_segments();
        for (number, flag) in given.flags().iter().enumerate() {
            if Instant::now() > deadline {
                return Err(TOO_LONG);
            }
            let key = ("key", flag.key.as_deref());
            let Some((place, key)) = names.place(number, key, &mut self.problems) else {
                continue;
            };
            let of_flag = match found.flags.get(key) {
                Some(before) => self.changed_flag(&place, before, flag),
                None => self.new_flag(&place, flag),
            };
            if let (Some(of_flag), Some(states)) = (of_flag, &flag.states) {
                self.states(&place, &of_flag, states, (&env_ids, &known));
            }
        }
        let mut gone: Vec<_> = removed.iter().collect();
        gone.sort_unstable();
        gone.dedup();
        let gone = gone.iter().filter_map(|key| found.flags.get(*key));
        self.plan.flags.removed = gone.map(|flag| flag.id).collect();
        Ok(())
    }

    fn new_flag(&mut self, place: &str, given: &GivenFlag) -> Option<OfFlag> {
        let made = given.new_one().check(self.now);
        let is_archived = given.archived == Some(true);
        match self.problems.keep(place, &FIELDS, made) {
            Some(flag) => {
                let of_flag = OfFlag {
                    key: flag.key.clone(),
                    id: flag.id,
                    flag_type: flag.flag_type,
                    is_new: true,
                    is_archived: false,
                    is_restored: false,
                    ends_archived: is_archived,
                };
                if is_archived {
                    self.plan.flags.created_archived.push(flag.clone());
                }
                self.plan.flags.new.push(flag);
                Some(of_flag)
            }
            // Its states are checked all the same.
            None => Some(OfFlag {
                key: Key::parse(given.key.clone()).ok()?.into(),
                id: base::ids::FlagId::new(self.now),
                flag_type: FlagType::parse(given.flag_type.as_deref()).ok()?,
                is_new: true,
                is_archived: false,
                is_restored: false,
                ends_archived: is_archived,
            }),
        }
    }

    fn changed_flag(&mut self, place: &str, before: &Flag, given: &GivenFlag) -> Option<OfFlag> {
        if let Some(text) = &given.flag_type
            && text != before.flag_type.as_str()
        {
            let is = before.flag_type.as_str();
            let message = format!("flag_type cannot be changed: it is {is}");
            self.problems.add(format!("{place}.flag_type"), message);
            return None;
        }
        let was_archived = before.archived_at.is_some();
        let is_restored = was_archived && given.archived == Some(false);
        let ends = !was_archived && given.archived == Some(true);
        let wish = given.patch().and_then(|patch| patch.check(before));
        let wish = self.problems.keep(place, &FIELDS, wish);
        let after = wish.map(|wish| wish.apply(before));
        let after = after.filter(|after| changed_fields(before, after).is_some());
        let is_archived = was_archived && !is_restored;
        if after.is_some() && is_archived {
            self.problems.add(place, Archived.to_string());
        }
        let flags = &mut self.plan.flags;
        if after.is_some() || is_restored || ends {
            flags.updated += 1;
        } else {
            self.plan.unchanged += 1;
        }
        if let Some(mut after) = after {
            let mut before = before.clone();
            if is_restored {
                (before.archived_at, after.archived_at) = (None, None);
            }
            flags.changed.push((before, after));
        }
        if is_restored {
            flags.restored.push(before.id);
        }
        if ends {
            flags.archived.push(before.id);
        }
        Some(OfFlag {
            key: before.key.clone(),
            id: before.id,
            flag_type: before.flag_type,
            is_new: false,
            is_archived,
            is_restored,
            ends_archived: ends,
        })
    }

    /// The environments that there will be, by slug; `true` for new ones.
    fn env_ids(&self) -> HashMap<String, (base::ids::EnvId, bool)> {
        let gone: Vec<_> = self.plan.environments.removed.iter().collect();
        let found = self.found.environments.values();
        let stay = found.filter(|env| !gone.iter().any(|gone| gone.id == env.id));
        let stay = stay.map(|env| (env.slug.clone(), (env.id, false)));
        let new = self.plan.environments.new.iter();
        let new = new.map(|(env, _)| (env.slug.clone(), (env.id, true)));
        stay.chain(new).collect()
    }
}
