//! What a change does to each thing that it names: the named fields before and after.

use std::collections::BTreeMap;

use files::{
    content::{Environment, Flag, Segment, State},
    sentences::{self, Sentence},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    model::{ShownEnvironment, ShownSegment, ShownState},
    named::named,
    plan::{Plan, found::Found},
    read::shown,
};

/// Fields of a thing, as `getContent` shows them.
pub type Fields = Map<String, Value>;

/// A thing of a project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[schema(as = ContentThing)]
pub struct Thing {
    /// What it is.
    pub kind: Kind,
    /// The key of a flag or a segment, the slug of an environment.
    pub key: String,
    /// The slug of a state's environment; `null` for other things.
    #[schema(required)]
    pub env_slug: Option<String>,
}

/// A kind of things of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[schema(as = ContentKind)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Environment,
    Segment,
    /// A flag's own fields.
    Flag,
    /// The state of a flag in an environment.
    State,
}

impl Kind {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Segment => "segment",
            Self::Flag => "flag",
            Self::State => "state",
        }
    }
}

/// What happens to a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ContentAction)]
#[serde(rename_all = "lowercase")]
pub enum PartAction {
    /// It is not there yet.
    Create,
    /// Named fields differ.
    Update,
    Remove,
    /// It has the named fields already.
    Keep,
}

/// What a change does to one thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ContentPart)]
pub struct Part {
    #[serde(flatten)]
    pub thing: Thing,
    pub action: PartAction,
    /// The version that the thing had; 0 if it was not there.
    pub version: i64,
    /// The named fields as they were, all of them for a thing that goes; `null` if it was not there.
    #[schema(value_type = Option<Object>, required)]
    pub before: Option<Fields>,
    /// The named fields as they are to be, all of them for a new thing; `null` if it goes.
    #[schema(value_type = Option<Object>, required)]
    pub after: Option<Fields>,
    /// What differs, in words.
    pub sentences: Vec<String>,
}

/// A thing at one side of a change.
#[derive(Clone)]
struct Image {
    version: i64,
    fields: Fields,
}

impl Image {
    fn of(version: i64, shown: &impl Serialize) -> Self {
        let fields = match serde_json::to_value(shown) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        Self { version, fields }
    }

    /// These fields; one that is left out for being unset is `null`.
    fn named(&self, names: &[&str]) -> Fields {
        let value = |name: &str| self.fields.get(name).cloned().unwrap_or_default();
        let names = names.iter();
        names
            .map(|name| ((*name).to_owned(), value(name)))
            .collect()
    }
}

type Images = BTreeMap<Thing, Image>;

pub(super) const STATES: &str = "states";
const ARCHIVED: &str = "archived";

impl Plan {
    /// The parts of this plan, which was made of `changes` and `found`: each thing that is named, in the order of the body. States
    /// follow their flags. Things that are to go and are not there are left out.
    pub fn parts(&self, changes: &Fields, found: &Found) -> Vec<Part> {
        let before = before(found);
        let after = self.after(&before, found);
        let named = named(changes);
        let parts = named.into_iter().filter_map(|(thing, names)| {
            let (was, is) = (before.get(&thing), after.get(&thing));
            let action = match (was, is) {
                (None, None) => return None,
                (None, Some(_)) => PartAction::Create,
                (Some(_), None) => PartAction::Remove,
                (Some(was), Some(is)) if was.named(&names) == is.named(&names) => PartAction::Keep,
                (Some(_), Some(_)) => PartAction::Update,
            };
            let side = |image: Option<&Image>, other: Option<&Image>| {
                let image = image?;
                Some(match other {
                    Some(_) => image.named(&names),
                    None => image.fields.clone(),
                })
            };
            Some(Part {
                action,
                version: was.map_or(0, |was| was.version),
                before: side(was, is),
                after: side(is, was),
                sentences: in_words(thing.kind, was, is),
                thing,
            })
        });
        parts.collect()
    }

    /// What is there once the plan is carried out.
    fn after(&self, before: &Images, found: &Found) -> Images {
        let mut images = before.clone();
        let mut put = |thing: Thing, image: Image| {
            images.insert(thing, image);
        };
        for (env, _) in &self.environments.new {
            let shown = ShownEnvironment::from(env.clone());
            put(Thing::environment(&env.slug), Image::of(0, &shown));
        }
        for (env_id, wish) in &self.environments.changed {
            let known = found.environments.values().find(|env| env.id == *env_id);
            if let Some(env) = known {
                let shown = ShownEnvironment::from(wish.apply(env));
                put(Thing::environment(&env.slug), Image::of(0, &shown));
            }
        }
        let changed = self.segments.changed.iter().map(|(_, after)| after);
        for segment in self.segments.new.iter().chain(changed) {
            let shown = ShownSegment::from(segment.clone());
            put(Thing::segment(&segment.key), Image::of(0, &shown));
        }
        let changed = self.flags.changed.iter().map(|(_, after)| after);
        for flag in self.flags.new.iter().chain(changed) {
            let shown = shown(flag.clone(), Vec::new());
            put(
                Thing::flag(&flag.key),
                Image::of(0, &shown).without_states(),
            );
        }
        for state in &self.states {
            let shown = ShownState::from(state.state.clone());
            let thing = Thing::state(&state.flag_key, &state.env_slug);
            put(thing, Image::of(0, &shown));
        }
        for (ids, is_archived) in [(&self.flags.restored, false), (&self.flags.archived, true)] {
            let flags = found.flags.values().filter(|flag| ids.contains(&flag.id));
            for flag in flags {
                images.archive(&flag.key, is_archived);
            }
        }
        for flag in &self.flags.created_archived {
            images.archive(&flag.key, true);
        }
        for env in &self.environments.removed {
            images.remove(&Thing::environment(&env.slug));
        }
        for segment in &self.segments.removed {
            images.remove(&Thing::segment(&segment.key));
        }
        let removed = found.flags.values();
        for flag in removed.filter(|flag| self.flags.removed.contains(&flag.id)) {
            images.remove(&Thing::flag(&flag.key));
        }
        images
    }
}

impl Thing {
    /// Its place in a body, such as `flags.checkout.states.production`.
    pub fn place(&self) -> String {
        match (&self.env_slug, self.kind) {
            (Some(slug), _) => format!("flags.{}.states.{slug}", self.key),
            (None, kind) => format!("{}s.{}", kind.as_str(), self.key),
        }
    }

    /// Whether it is there. A state is where its flag and its environment are.
    pub(crate) fn is_in(&self, found: &Found) -> bool {
        let has_env = |slug: &String| found.environments.contains_key(slug);
        match self.kind {
            Kind::Environment => has_env(&self.key),
            Kind::Segment => found.segments.contains_key(&self.key),
            Kind::Flag | Kind::State => {
                found.flags.contains_key(&self.key) && self.env_slug.as_ref().is_none_or(has_env)
            }
        }
    }

    fn new(kind: Kind, key: &str) -> Self {
        Self {
            kind,
            key: key.to_owned(),
            env_slug: None,
        }
    }

    pub(crate) fn environment(slug: &str) -> Self {
        Self::new(Kind::Environment, slug)
    }

    pub(crate) fn segment(key: &str) -> Self {
        Self::new(Kind::Segment, key)
    }

    pub(crate) fn flag(key: &str) -> Self {
        Self::new(Kind::Flag, key)
    }

    pub(crate) fn state(key: &str, env_slug: &str) -> Self {
        Self {
            env_slug: Some(env_slug.to_owned()),
            ..Self::new(Kind::State, key)
        }
    }
}

impl Image {
    fn without_states(mut self) -> Self {
        self.fields.remove(STATES);
        self
    }
}

trait Archive {
    fn archive(&mut self, key: &str, is_archived: bool);
}

impl Archive for Images {
    fn archive(&mut self, key: &str, is_archived: bool) {
        if let Some(image) = self.get_mut(&Thing::flag(key)) {
            image.fields.insert(ARCHIVED.to_owned(), is_archived.into());
        }
    }
}

/// What is there. A flag that could go has its states too.
fn before(found: &Found) -> Images {
    let mut images = Images::new();
    for env in found.environments.values() {
        let shown = ShownEnvironment::from(env.clone());
        images.insert(
            Thing::environment(&env.slug),
            Image::of(env.version, &shown),
        );
    }
    for segment in found.segments.values() {
        let shown = ShownSegment::from(segment.clone());
        images.insert(
            Thing::segment(&segment.key),
            Image::of(segment.version, &shown),
        );
    }
    for flag in found.flags.values() {
        let mut states = Vec::new();
        for env in found.environments.values() {
            if let Some(state) = found.states.get(&(flag.id, env.id)) {
                let shown = ShownState::from(state.clone());
                let image = Image::of(state.version, &shown);
                images.insert(Thing::state(&flag.key, &env.slug), image);
                states.push((env.slug.clone(), shown));
            }
        }
        let image = Image::of(flag.version, &shown(flag.clone(), states));
        images.insert(Thing::flag(&flag.key), image);
    }
    images
}

/// The sentences about a thing that is there afterwards. A new one differs from nothing, but a state from one that says nothing.
fn in_words(kind: Kind, was: Option<&Image>, is: Option<&Image>) -> Vec<String> {
    let told = match kind {
        Kind::Environment => compared::<Environment>(was, is, sentences::of_environment),
        Kind::Segment => compared::<Segment>(was, is, sentences::of_segment),
        Kind::Flag => compared::<Flag>(was, is, sentences::of_flag),
        Kind::State if was.is_none() => {
            let initial = Image::of(0, &State::default());
            compared::<State>(Some(&initial), is, sentences::of_state)
        }
        Kind::State => compared::<State>(was, is, sentences::of_state),
    };
    told.into_iter().map(|sentence| sentence.words).collect()
}

fn compared<T: DeserializeOwned>(
    was: Option<&Image>,
    is: Option<&Image>,
    tell: fn(&T, &T) -> Vec<Sentence>,
) -> Vec<Sentence> {
    let read = |image: Option<&Image>| -> Option<T> {
        serde_json::from_value(Value::Object(image?.fields.clone())).ok()
    };
    let both = read(was).zip(read(is));
    both.map_or(Vec::new(), |(was, is)| tell(&was, &is))
}
