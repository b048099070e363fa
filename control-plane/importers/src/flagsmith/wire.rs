//! What the source sends, as far as it is needed. Fields that nobody knows are ignored, and absent ones read as empty; a field of
//! another type than is documented is an error.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::Value;

use super::value::Held;
use crate::{plan::copies::copy, wire::sent};

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
    pub next: Option<String>,
    /// What to ask for the next page with, where there are no links.
    pub last_evaluated_key: Option<String>,
}

sent! {
    "snake_case"

    Project {
        id: Id,
    } {
        use_edge_identities: Option<bool>,
    }

    /// The project of an environment, as `environment-details` returns it.
    Details {
        project: Ref<Project>,
    } {}

    Environment {
        id: Id,
        name: String,
    } {
        api_key: Option<String>,
    }

    Tag {
        id: Id,
        label: String,
    } {}

    /// A flag. Inside of states only its id and name are certain.
    Feature {
        id: Id,
    } {
        name: String,
        #[serde(rename = "type")]
        kind: Option<String>,
        initial_value: Option<Held>,
        description: Option<String>,
        created_date: Option<String>,
        tags: Vec<TagRef>,
        is_archived: bool,
        multivariate_options: Vec<Choice>,
        num_segment_overrides: Option<u64>,
        num_identity_overrides: Option<u64>,
    }

    /// A value that a share of the users gets: typed, or plain where it is sent inside of a state.
    Choice {
        id: Id,
    } {
        default_percentage_allocation: Option<f64>,
        value: Option<Held>,
        #[serde(rename = "type")]
        kind: Option<String>,
        string_value: Option<Value>,
        integer_value: Option<Value>,
        boolean_value: Option<Value>,
    }

    /// What an environment, or an identity there, has for a flag.
    State {
        feature: Ref<Feature>,
    } {
        enabled: bool,
        identity: Option<Ref<Identity>>,
        /// Present where it is for a segment.
        feature_segment: Option<IgnoredAny>,
        feature_state_value: Option<Held>,
        multivariate_feature_state_values: Option<Vec<Allocation>>,
    }

    Allocation {
        multivariate_feature_option: Ref<Choice>,
    } {
        percentage_allocation: Option<f64>,
    }

    Identity {
        identifier: String,
    } {
        id: Option<Id>,
    }

    /// What an identity has for a flag where identities are kept at the edge.
    EdgeOverride {
        identifier: String,
        feature_state: State,
    } {}

    Segment {
        id: Id,
    } {
        name: String,
        description: Option<String>,
        created_at: Option<String>,
        rules: Vec<Group>,
    }

    /// Conditions and further groups. Of each of the two lists, the type says how many must hold.
    Group {
        #[serde(rename = "type")]
        kind: String,
    } {
        rules: Vec<Group>,
        conditions: Vec<Test>,
    }

    Test {
        operator: String,
    } {
        property: Option<String>,
        value: Option<Value>,
    }
}

/// A tag of a flag: an id in the list of tags, or the tag itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum TagRef {
    Id(u64),
    Label(String),
    Whole { label: String },
}

impl<T> Default for Ref<T> {
    fn default() -> Self {
        Self::Id(Id::default())
    }
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
