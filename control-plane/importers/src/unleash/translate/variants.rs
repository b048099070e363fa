//! Variants: what a flag serves besides on and off.

use protocol::{rule::Variant, snapshot::FlagType};
use serde_json::{Number, Value};

use super::constraint;
use crate::{
    logic::Expr,
    plan::{
        self, Remarks,
        copies::{copy, json},
        rules::{Share, parts},
        variants::Named,
    },
    unleash::wire,
};

/// What some of the contexts of a strategy get.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// Who gets it, among those who meet the strategy; `None` for everybody who is left.
    pub(super) only: Option<Expr>,
    /// By weight. One share is everybody's.
    pub(super) shares: Vec<Share>,
}

impl Outcome {
    pub(super) fn of(value: Value) -> Self {
        Self {
            only: None,
            shares: vec![Share { value, weight: 1 }],
        }
    }

    /// Whether users are divided.
    pub(super) const fn is_split(&self) -> bool {
        self.shares.len() > 1
    }

    pub(super) fn whole(&self) -> u64 {
        self.shares
            .iter()
            .fold(0, |sum, share| sum.saturating_add(share.weight))
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mixed;

/// The type of the payloads; boolean where there are none.
pub(super) fn flag_type<'a>(
    variants: impl Iterator<Item = &'a wire::Variant>,
) -> Result<FlagType, Mixed> {
    let mut found = None;
    for payload in variants.filter_map(|variant| variant.payload.as_ref()) {
        let kind = match payload.kind.as_str() {
            "string" | "csv" => FlagType::String,
            "number" => FlagType::Number,
            "json" => FlagType::Json,
            _ => return Err(Mixed),
        };
        if *found.get_or_insert(kind) != kind {
            return Err(Mixed);
        }
    }
    Ok(found.unwrap_or(FlagType::Boolean))
}

/// What a list of variants serves: by its overrides, then by its weights. Without any weight, nothing but the default.
pub(super) fn outcomes(
    variants: &[wire::Variant],
    default: &Value,
    remarks: &mut Remarks,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for variant in variants {
        for by in &variant.overrides {
            let value = value(variant, default, remarks);
            let constraint = wire::Constraint {
                context_name: by.context_name.clone(),
                operator: "IN".to_owned(),
                values: by.values.clone(),
                ..wire::Constraint::default()
            };
            match constraint::translate(&constraint, remarks) {
                Ok(only) if only.is_never() => {}
                Ok(only) => outcomes.push(Outcome {
                    only: Some(only),
                    ..Outcome::of(value)
                }),
                Err(_) => remarks.approximate(format!(
                    "an override of variant {:?} is not kept",
                    variant.name
                )),
            }
        }
    }

    let mut shares: Vec<Share> = Vec::new();
    for variant in variants {
        let weight = parts(variant.weight, 1e9, 1.0).unwrap_or_default();
        if weight > 0 {
            let value = value(variant, default, remarks);
            shares.push(Share { value, weight });
        }
    }
    match shares.first() {
        None => outcomes.push(Outcome::of(default.clone())),
        Some(first) if shares.iter().all(|share| share.value == first.value) => {
            outcomes.push(Outcome::of(first.value.clone()));
        }
        Some(_) => outcomes.push(Outcome { only: None, shares }),
    }
    outcomes
}

/// The variants by their names, as they are drawn. `None` where their names cannot be kept, or there are none.
pub(super) fn named(
    variants: &[wire::Variant],
    flag_type: FlagType,
    default: &Value,
    remarks: &mut Remarks,
) -> Option<Vec<Variant>> {
    let each = variants.iter().map(|variant| Named {
        name: variant.name.clone(),
        value: match flag_type {
            // The flag is on for those who get it.
            FlagType::Boolean => Value::Bool(true),
            _ => value(variant, default, remarks),
        },
        weight: parts(variant.weight, 1e9, 1.0).unwrap_or_default(),
    });
    plan::variants::variants(each.collect())
}

fn value(variant: &wire::Variant, default: &Value, remarks: &mut Remarks) -> Value {
    let name = &variant.name;
    let Some(payload) = &variant.payload else {
        remarks.approximate(format!(
            "variant {name:?} has no payload, and serves the default value"
        ));
        return default.clone();
    };
    let value = match payload.kind.as_str() {
        "number" => number(&payload.value.0).map(Value::Number),
        "json" => json(&payload.value.0),
        _ => copy(&payload.value.0).map(Value::String),
    };
    value.unwrap_or_else(|| {
        remarks.approximate(format!(
            "the payload of variant {name:?} is no {}; it serves the default value",
            payload.kind
        ));
        default.clone()
    })
}

fn number(text: &str) -> Option<Number> {
    let text = text.trim();
    let number = || Number::from_f64(text.parse().ok()?);
    serde_json::from_str(text).ok().or_else(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn variants(variants: Value) -> Vec<wire::Variant> {
        serde_json::from_value(variants).unwrap()
    }

    #[test]
    fn payloads_decide_the_type() {
        let payload = |kind: &str| json!({"name": kind, "payload": {"type": kind, "value": "1"}});
        for (kinds, expected) in [
            (&["string", "csv"] as &[&str], Ok(FlagType::String)),
            (&["number"], Ok(FlagType::Number)),
            (&["json"], Ok(FlagType::Json)),
            (&["json", "number"], Err(Mixed)),
            (&["xml"], Err(Mixed)),
            (&[], Ok(FlagType::Boolean)),
        ] {
            let mut all: Vec<_> = kinds.iter().map(|kind| payload(kind)).collect();
            all.push(json!({"name": "plain"}));
            assert_eq!(
                flag_type(variants(Value::Array(all)).iter()),
                expected,
                "{kinds:?}"
            );
        }
    }

    #[test]
    fn payloads_become_values() {
        for (kind, text, expected) in [
            ("string", "5", json!("5")),
            ("csv", "a,b", json!("a,b")),
            ("number", "5", json!(5)),
            ("number", " -0.50 ", json!(-0.5)),
            ("number", "+5", json!(5.0)),
            ("number", "five", json!("default")),
            ("json", r#"{"a": [1]}"#, json!({"a": [1]})),
            ("json", "{", json!("default")),
        ] {
            let variant = variants(
                json!([{"name": "v", "weight": 1000, "payload": {"type": kind, "value": text}}]),
            );
            let mut remarks = Remarks::default();
            let outcomes = outcomes(&variant, &json!("default"), &mut remarks);
            assert_eq!(outcomes[0].shares[0].value, expected, "{kind} {text}");
            assert_eq!(
                remarks.is_empty(),
                expected != json!("default"),
                "{remarks:?}"
            );
        }
    }

    #[test]
    fn overrides_come_before_weights() {
        let variants = variants(json!([
            {"name": "a", "weight": 500, "payload": {"type": "string", "value": "A"}},
            {"name": "b", "weight": 500, "payload": {"type": "string", "value": "B"},
             "overrides": [{"contextName": "userId", "values": ["ada"]}]},
        ]));
        let outcomes = outcomes(&variants, &json!(""), &mut Remarks::default());
        assert_eq!(outcomes.len(), 2);
        assert_eq!(outcomes[0].only, Some(Expr::is("key", "in", ["ada"])));
        assert_eq!(outcomes[0].shares[0].value, json!("B"));
        assert!(outcomes[1].is_split() && outcomes[1].whole() == 1_000);
    }

    #[test]
    fn variants_with_one_value_are_no_split() {
        let same = json!({"name": "a", "weight": 500, "payload": {"type": "string", "value": "A"}});
        let outcomes = outcomes(
            &variants(json!([same, same])),
            &json!(""),
            &mut Remarks::default(),
        );
        assert!(outcomes.len() == 1 && !outcomes[0].is_split());
    }
}
