//! Compares what files say with what a project has.

use std::collections::BTreeMap;

use files::{
    Problem,
    content::{Content, Flag, Segment, State, changed_fields},
    sentences,
};
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::{
    changes::{Action, Change, Changes, Kind, Thing},
    fetch::Found,
    folder::Local,
    locate,
};

/// What applying the files changes; what of them cannot be applied.
pub(super) fn compare(
    local: &Local,
    found: &Found,
    prune: bool,
    now: OffsetDateTime,
) -> Result<Changes, Vec<Problem>> {
    let mut comparing = Comparing {
        local,
        stored: &found.content,
        written: &local.content,
        prune,
        now,
        changes: Changes {
            project: local.of.slug.clone(),
            is_new: local.of.is_new.clone(),
            version: found.version,
            ..Changes::default()
        },
        problems: Vec::new(),
    };
    comparing.environments();
    comparing.segments();
    comparing.flags();
    comparing.problems.sort();
    if comparing.problems.is_empty() {
        Ok(comparing.changes)
    } else {
        Err(comparing.problems)
    }
}

struct Comparing<'a> {
    local: &'a Local,
    stored: &'a Content,
    written: &'a Content,
    prune: bool,
    now: OffsetDateTime,
    changes: Changes,
    problems: Vec<Problem>,
}

impl<'a> Comparing<'a> {
    fn environments(&mut self) {
        let (stored, written) = (self.stored, self.written);
        // Without a list of them, files say nothing of environments.
        if written.environments.is_empty() {
            return;
        }
        for one in &written.environments {
            let thing = Thing::new(Kind::Environment, &one.slug);
            let before = stored
                .environments
                .iter()
                .find(|other| other.slug == one.slug);
            let file = self.file_of_environment(&one.slug);
            match before {
                None => self.create(thing, file, fields(one)),
                Some(before) => {
                    let told = sentences::of_environment(before, one);
                    self.update(thing, file, changed_fields(before, one), told);
                }
            }
        }
        for one in &stored.environments {
            if !written
                .environments
                .iter()
                .any(|other| other.slug == one.slug)
            {
                self.gone(Thing::new(Kind::Environment, &one.slug));
            }
        }
    }

    fn segments(&mut self) {
        let (stored, written, project) = (self.stored, self.written, &self.local.project);
        for (key, one) in &written.segments {
            let thing = Thing::new(Kind::Segment, key);
            let file = project.segments[key].file.clone();
            match stored.segments.get(key) {
                None => self.create(thing, file, fields(one)),
                Some(before) => {
                    let told = sentences::of_segment(before, one);
                    self.update(thing, file, changed_fields(before, one), told);
                }
            }
        }
        self.gone_of::<Segment>(Kind::Segment, &stored.segments, &written.segments);
    }

    fn flags(&mut self) {
        let (stored, written, project) = (self.stored, self.written, &self.local.project);
        for (key, flag) in &written.flags {
            let thing = Thing::new(Kind::Flag, key);
            let file = project.flags[key].flag.file.clone();
            let before = stored.flags.get(key);
            match before {
                None => {
                    let mut fields = fields(flag);
                    fields.remove("states");
                    if !flag.archived {
                        fields.remove("archived");
                    }
                    self.create(thing, file.clone(), fields);
                }
                Some(before) if before.flag_type != flag.flag_type => {
                    let is = before.flag_type.as_str();
                    let words = format!("flag_type cannot be changed: it is {is}");
                    let place = format!("flags.{key}.flag_type");
                    self.problems
                        .push(locate::problem(self.local, &place, &words));
                    continue;
                }
                Some(before) => {
                    let told = sentences::of_flag(before, flag);
                    self.update(thing, file.clone(), changed_fields(before, flag), told);
                }
            }
            self.states(flag, before, &file);
        }
        self.gone_of::<Flag>(Kind::Flag, &stored.flags, &written.flags);
    }

    fn states(&mut self, flag: &'a Flag, before: Option<&'a Flag>, file: &str) {
        let initial = State::default();
        for (slug, state) in &flag.states {
            let is_listed = self
                .written
                .environments
                .iter()
                .any(|one| one.slug == *slug);
            let environment = self
                .stored
                .environments
                .iter()
                .find(|one| one.slug == *slug);
            if environment.is_none() && !is_listed {
                let place = format!("flags.{}.states.{slug}", flag.key);
                let words = format!(
                    "the project has no environment {slug}; list it in environments.yaml to create it"
                );
                self.problems
                    .push(locate::problem(self.local, &place, &words));
                continue;
            }
            let stored = before.and_then(|flag| flag.states.get(slug));
            let was = stored.unwrap_or(&initial);
            let mut state = state.clone();
            state.adopt_ids(&was.rules);
            let state = state.at(self.now);
            let mut fields = changed_fields(was, &state);
            if changed_fields(&was.clone().at(self.now), &state).is_empty() {
                fields.clear();
            }
            // A new flag gets its states as they are written, also those that say nothing.
            if before.is_none() {
                fields.insert("enabled".to_owned(), state.enabled.into());
            }
            if fields.is_empty() {
                continue;
            }
            self.changes.list.push(Change {
                thing: Thing::state(&flag.key, slug),
                action: if stored.is_some() {
                    Action::Update
                } else {
                    Action::Create
                },
                file: file.to_owned(),
                needs_approval: environment.is_some_and(|one| one.protected),
                sentences: sentences::of_state(was, &state),
                fields,
            });
        }
        let stored = before.into_iter().flat_map(|flag| &flag.states);
        for (slug, was) in stored {
            let is_gone = !flag.states.contains_key(slug);
            if !is_gone || changed_fields(was, &initial).is_empty() {
                continue;
            }
            self.unwritten(&flag.key, slug, was);
        }
    }

    /// A state that the file of its flag does not have.
    fn unwritten(&mut self, key: &str, slug: &str, was: &State) {
        let listed = &self.written.environments;
        let goes = !listed.is_empty() && !listed.iter().any(|one| one.slug == slug);
        let thing = Thing::state(key, slug);
        if goes {
            // With its environment, which is told by itself.
            return;
        }
        if !self.prune {
            self.changes.kept.push(thing);
            return;
        }
        let initial = State::default();
        let environment = self.stored.environments.iter().find(|one| one.slug == slug);
        self.changes.list.push(Change {
            thing,
            action: Action::Remove,
            file: String::new(),
            needs_approval: environment.is_some_and(|one| one.protected),
            sentences: sentences::of_state(was, &initial),
            fields: changed_fields(was, &initial),
        });
    }

    fn gone_of<T>(
        &mut self,
        kind: Kind,
        stored: &BTreeMap<String, T>,
        written: &BTreeMap<String, T>,
    ) {
        for key in stored.keys().filter(|key| !written.contains_key(*key)) {
            self.gone(Thing::new(kind, key));
        }
    }

    fn gone(&mut self, thing: Thing) {
        if self.prune {
            self.push(thing, Action::Remove, String::new(), Map::new(), Vec::new());
        } else {
            self.changes.kept.push(thing);
        }
    }

    fn create(&mut self, thing: Thing, file: String, fields: Map<String, Value>) {
        self.push(thing, Action::Create, file, fields, Vec::new());
    }

    fn update(
        &mut self,
        thing: Thing,
        file: String,
        fields: Map<String, Value>,
        sentences: Vec<sentences::Sentence>,
    ) {
        if !fields.is_empty() {
            self.push(thing, Action::Update, file, fields, sentences);
        }
    }

    fn push(
        &mut self,
        thing: Thing,
        action: Action,
        file: String,
        fields: Map<String, Value>,
        sentences: Vec<sentences::Sentence>,
    ) {
        self.changes.list.push(Change {
            thing,
            action,
            file,
            needs_approval: false,
            sentences,
            fields,
        });
    }

    fn file_of_environment(&self, slug: &str) -> String {
        let listed = &self.local.project.environments;
        let found = listed.iter().find(|one| one.made.slug == slug);
        found.map(|one| one.file.clone()).unwrap_or_default()
    }
}

fn fields<T: serde::Serialize>(thing: &T) -> Map<String, Value> {
    match json!(thing) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
