//! Variants as sent by clients.

use std::collections::HashSet;

use protocol::rule::Variant;

use super::{model::check_size, states::model::BasisPoints};
use crate::input::{Invalid, is_longer_than};

/// Checks the variants of a state, for flags of any type. An error names the position and the broken rule.
pub fn check_variants(variants: &[Variant]) -> Result<(), Invalid> {
    if variants.len() > 100 {
        return Err(Invalid::new("variants must have at most 100 items"));
    }
    for (place, variant) in variants.iter().enumerate() {
        check_variant(variant).map_err(|what| Invalid::new(format!("variants[{place}].{what}")))?;
    }
    let mut keys = HashSet::new();
    if !variants
        .iter()
        .all(|variant| keys.insert(variant.key.as_str()))
    {
        return Err(Invalid::new("variant keys must not repeat"));
    }
    let sum: i64 = variants.iter().map(|variant| variant.weight).sum();
    if !variants.is_empty() && sum != i64::from(BasisPoints::WHOLE) {
        return Err(Invalid::new("variant weights must sum to 10000"));
    }
    Ok(())
}

fn check_variant(variant: &Variant) -> Result<(), Invalid> {
    if variant.key.trim().is_empty() {
        return Err(Invalid::new("key is required"));
    }
    if is_longer_than(&variant.key, 255) {
        return Err(Invalid::new("key must have at most 255 characters"));
    }
    BasisPoints::new("weight", variant.weight)?;
    check_size("value", &variant.value)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn variants(authored: Value) -> Result<(), String> {
        let variants: Vec<Variant> = serde_json::from_value(authored).unwrap();
        check_variants(&variants).map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn weights_sum_to_the_whole() {
        assert_eq!(variants(json!([])), Ok(()));
        assert_eq!(variants(json!([{"key": "a", "weight": 10_000}])), Ok(()));
        assert_eq!(
            variants(json!([{"key": "a", "weight": 0}, {"key": "b", "weight": 10_000}])),
            Ok(())
        );
        for (refused, why) in [
            (
                json!([{"key": "a", "weight": 9_999}]),
                "variant weights must sum to 10000",
            ),
            (
                json!([{"key": "a", "weight": -1}]),
                "variants[0].weight must be an integer in basis points, 0 to 10000",
            ),
            (
                json!([{"key": "a", "weight": 10_001}]),
                "variants[0].weight must be an integer in basis points, 0 to 10000",
            ),
            (
                json!([{"key": "", "weight": 10_000}]),
                "variants[0].key is required",
            ),
            (json!([{"weight": 10_000}]), "variants[0].key is required"),
            (
                json!([{"key": "a", "weight": 5_000}, {"key": "a", "weight": 5_000}]),
                "variant keys must not repeat",
            ),
            (
                json!([{"key": "k".repeat(256), "weight": 10_000}]),
                "variants[0].key must have at most 255 characters",
            ),
            (
                json!(vec![json!({"key": "a", "weight": 100}); 101]),
                "variants must have at most 100 items",
            ),
        ] {
            assert_eq!(variants(refused), Err(why.to_owned()));
        }
    }
}
