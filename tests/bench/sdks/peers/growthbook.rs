//! GrowthBook's SDK, without what it tells of experiments.

use std::collections::HashMap;

use growthbook_rust::{
    dto::GrowthBookFeature, growthbook::GrowthBook, model_public::GrowthBookAttribute,
};
use serde_json::json;

use crate::{
    timing::Ask,
    users::{COUNTRIES, PLAN, key_of, users},
};

pub fn asking(flags: usize) -> Ask {
    let growthbook = GrowthBook {
        forced_variations: None,
        features: (0..flags)
            .map(|number| (key_of(number), feature()))
            .collect(),
        attributes: None,
        sticky_bucket_service: None,
        saved_groups: HashMap::new(),
    };
    let contexts: Vec<_> = users()
        .map(|user| {
            let attributes = json!({"id": user.key, "plan": user.plan, "country": user.country, "email": user.email});
            Some(GrowthBookAttribute::from(attributes).expect("attributes"))
        })
        .collect();
    let key = key_of(flags / 2);
    Box::new(move |user| growthbook.check(&key, &contexts[user]).on)
}

fn feature() -> GrowthBookFeature {
    let rule = json!({
        "condition": {"country": {"$in": COUNTRIES}, "plan": PLAN},
        "force": true,
        "coverage": 0.5,
        "hashAttribute": "id",
    });
    let feature = json!({"defaultValue": false, "rules": [rule]});
    serde_json::from_value(feature).expect("a feature of GrowthBook")
}
