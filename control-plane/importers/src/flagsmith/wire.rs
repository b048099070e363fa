//! What the source sends, as far as it is needed. Fields that nobody knows are ignored, and absent ones read as empty; a field of
//! another type than is documented is an error.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::Value;

use super::value::Held;
use crate::plan::copies::copy;

/// An id. Servers write integers, and identities at the edge have texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub String);

/// Something that is named by its id alone, or sent whole.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Ref<T> {
    Id(Id),
    Whole(T),
}

/// A list, or a page of one.
#[derive(Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Where the next page is.
    pub next: Option<String>,
    /// What to ask for the next page with, where there are no links.
    pub last_evaluated_key: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Project {
    pub id: Id,
    #[serde(default)]
    pub use_edge_identities: Option<bool>,
}

/// The project of an environment, as `environment-details` tells it.
#[derive(Clone, Debug, Deserialize)]
pub struct Details {
    pub project: Ref<Project>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Environment {
    pub id: Id,
    pub name: String,
    #[serde(default)]
    pub api_key: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Tag {
    pub id: Id,
    pub label: String,
}

/// A flag. Inside of states only its id and name are certain.
#[derive(Clone, Debug, Deserialize)]
pub struct Feature {
    pub id: Id,
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    #[serde(default)]
    pub initial_value: Option<Held>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub created_date: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub tags: Vec<TagRef>,
    #[serde(default, deserialize_with = "or_default")]
    pub is_archived: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub multivariate_options: Vec<Choice>,
    #[serde(default)]
    pub num_segment_overrides: Option<u64>,
    #[serde(default)]
    pub num_identity_overrides: Option<u64>,
}

/// A tag of a flag: an id in the list of tags, or the tag itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum TagRef {
    Id(u64),
    Label(String),
    Whole { label: String },
}

/// A value that a share of the users gets: typed, or plain where it is sent inside of a state.
#[derive(Clone, Debug, Deserialize)]
pub struct Choice {
    pub id: Id,
    #[serde(default)]
    default_percentage_allocation: Option<f64>,
    #[serde(default)]
    value: Option<Held>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    string_value: Option<Value>,
    #[serde(default)]
    integer_value: Option<Value>,
    #[serde(default)]
    boolean_value: Option<Value>,
}

/// What an environment, or an identity there, has for a flag.
#[derive(Clone, Debug, Deserialize)]
pub struct State {
    pub feature: Ref<Feature>,
    #[serde(default, deserialize_with = "or_default")]
    pub enabled: bool,
    #[serde(default)]
    pub identity: Option<Ref<Identity>>,
    /// Whether it is for a segment.
    #[serde(default, deserialize_with = "is_given")]
    pub feature_segment: bool,
    #[serde(default)]
    pub feature_state_value: Option<Held>,
    #[serde(default)]
    pub multivariate_feature_state_values: Option<Vec<Allocation>>,
}

/// The share of a choice.
#[derive(Clone, Debug, Deserialize)]
pub struct Allocation {
    pub multivariate_feature_option: Ref<Choice>,
    #[serde(default)]
    pub percentage_allocation: Option<f64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Identity {
    #[serde(default)]
    pub id: Option<Id>,
    pub identifier: String,
}

/// What an identity has for a flag where identities are kept at the edge.
#[derive(Clone, Debug, Deserialize)]
pub struct EdgeOverride {
    pub identifier: String,
    pub feature_state: State,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Segment {
    pub id: Id,
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub created_at: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub rules: Vec<Group>,
}

/// Conditions and further groups. Of each of the two lists, the type says how many must hold.
#[derive(Clone, Debug, Deserialize)]
pub struct Group {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default, deserialize_with = "or_default")]
    pub rules: Vec<Self>,
    #[serde(default, deserialize_with = "or_default")]
    pub conditions: Vec<Test>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Test {
    #[serde(default)]
    pub property: Option<String>,
    pub operator: String,
    #[serde(default)]
    pub value: Option<Value>,
}

impl<T> Ref<T> {
    /// What is sent whole.
    pub const fn whole(&self) -> Option<&T> {
        match self {
            Self::Id(_) => None,
            Self::Whole(whole) => Some(whole),
        }
    }
}

impl Ref<Feature> {
    pub const fn id(&self) -> &Id {
        match self {
            Self::Id(id) => id,
            Self::Whole(feature) => &feature.id,
        }
    }
}

impl Ref<Choice> {
    pub const fn id(&self) -> &Id {
        match self {
            Self::Id(id) => id,
            Self::Whole(choice) => &choice.id,
        }
    }
}

impl Ref<Project> {
    pub const fn id(&self) -> &Id {
        match self {
            Self::Id(id) => id,
            Self::Whole(project) => &project.id,
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Sent {
            Number(i64),
            Text(String),
        }
        Ok(Self(match Sent::deserialize(input)? {
            Sent::Number(number) => number.to_string(),
            Sent::Text(text) => text,
        }))
    }
}

impl Choice {
    pub fn value(&self) -> Held {
        if let Some(value) = &self.value {
            return copy(value).unwrap_or_default();
        }
        let named = match self.kind.as_deref() {
            Some("int" | "integer") => &self.integer_value,
            Some("bool" | "boolean") => &self.boolean_value,
            _ => &self.string_value,
        };
        let named = named.as_ref().and_then(copy);
        named.map_or(Held::Nothing, Held::from)
    }

    /// The percentage where a state does not say one.
    pub fn percentage(&self) -> f64 {
        self.default_percentage_allocation.unwrap_or(0.0)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Page<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(PageVisitor(PhantomData))
    }
}

struct PageVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PageVisitor<T> {
    type Value = Page<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or a page")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Page {
            items,
            next: None,
            last_evaluated_key: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        #[derive(Deserialize)]
        struct Sent<T> {
            results: Vec<T>,
            #[serde(default = "Option::default")]
            next: Option<String>,
            #[serde(default = "Option::default")]
            last_evaluated_key: Option<String>,
        }
        let sent = Sent::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Page {
            items: sent.results,
            next: sent.next,
            last_evaluated_key: sent.last_evaluated_key,
        })
    }
}

fn or_default<'de, T, D>(input: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

fn is_given<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    Ok(Option::<serde::de::IgnoredAny>::deserialize(input)?.is_some())
}
