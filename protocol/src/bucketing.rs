//! How a flag state draws buckets, where that is not Halyard's own way: as the platform that the flag was imported from does, so
//! that its users stay in their shares. Authored and compiled form in one.

use serde::{Deserialize, Serialize};

use crate::wire::codec::{Decode, Encode};

/// The way of another platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Encode, Decode)]
#[serde(
    tag = "algorithm",
    rename_all = "lowercase",
    rename_all_fields = "snake_case",
    deny_unknown_fields
)]
pub enum Bucketing {
    /// Unleash's: hundredths of users for percentages, thousandths for variants.
    Unleash {
        /// The group of the strategy: its flag's name unless another one was set.
        group_id: String,
    },
    /// LaunchDarkly's: one bucket for all percentages and variants of a flag.
    LaunchDarkly {
        /// The salt of the flag in its environment.
        salt: String,
        /// The seed of the rollout, which then takes the place of key and salt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<i64>,
    },
}

impl Bucketing {
    /// Characters that a group or a salt has at most.
    pub const MAX_TEXT: usize = 255;

    /// The text in it, with the name of its field.
    #[must_use]
    pub fn text(&self) -> (&'static str, &str) {
        match self {
            Self::Unleash { group_id } => ("group_id", group_id),
            Self::LaunchDarkly { salt, .. } => ("salt", salt),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn each_algorithm_has_its_members_and_no_others() {
        let unleash = Bucketing::Unleash {
            group_id: "g".to_owned(),
        };
        let salted = |seed| Bucketing::LaunchDarkly {
            salt: "s".to_owned(),
            seed,
        };
        for (written, read) in [
            (json!({"algorithm": "unleash", "group_id": "g"}), unleash),
            (
                json!({"algorithm": "launchdarkly", "salt": "s"}),
                salted(None),
            ),
            (
                json!({"algorithm": "launchdarkly", "salt": "s", "seed": -7}),
                salted(Some(-7)),
            ),
        ] {
            assert_eq!(serde_json::to_value(&read).unwrap(), written);
            assert_eq!(serde_json::from_value::<Bucketing>(written).unwrap(), read);
        }
        for refused in [
            json!({"algorithm": "unleash"}),
            json!({"algorithm": "unleash", "group_id": "g", "salt": "s"}),
            json!({"algorithm": "launchdarkly", "salt": "s", "seed": 1.5}),
            json!({"algorithm": "flagsmith", "salt": "s"}),
            json!({"group_id": "g"}),
            json!("unleash"),
            Value::Null,
        ] {
            assert!(
                serde_json::from_value::<Bucketing>(refused.clone()).is_err(),
                "{refused}"
            );
        }
    }
}
