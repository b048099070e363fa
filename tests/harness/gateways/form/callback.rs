//! What a payer brings back from the gateway.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{HASHED, SALT};
use crate::gateways::signature;

/// The form that a payer brings back.
#[derive(Clone, Debug)]
pub struct Callback {
    /// Where it goes, without the host.
    pub path: String,
    pub(super) fields: BTreeMap<String, String>,
    pub(super) altered: BTreeMap<String, String>,
}

impl Callback {
    /// With another value that the gateway knows of and hashes: `udf1` to `udf5`, `additionalCharges` or `additional_charges`, or
    /// any other field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Without a field that the gateway leaves out.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.fields.remove(name);
        self
    }

    /// With a value that the payer changed after the gateway made the hash.
    #[must_use]
    pub fn altered(mut self, name: &str, value: &str) -> Self {
        self.altered.insert(name.to_owned(), value.to_owned());
        self
    }

    /// All fields, with the hash.
    #[must_use]
    pub fn fields(&self) -> Vec<(String, String)> {
        let mut fields = self.fields.clone();
        fields.insert("hash".to_owned(), self.hash());
        fields.extend(self.altered.clone());
        fields.into_iter().collect()
    }

    /// The same as a JSON object.
    #[must_use]
    pub fn json(&self) -> Value {
        let fields = self.fields().into_iter();
        fields.map(|(name, value)| (name, json!(value))).collect()
    }

    /// The reverse hash over what the gateway knows.
    #[must_use]
    pub fn hash(&self) -> String {
        let value = |name: &str| self.fields.get(name).map_or("", String::as_str);
        let mut values = vec![SALT, value("status"), "", "", "", "", ""];
        values.extend(["udf5", "udf4", "udf3", "udf2", "udf1"].map(value));
        values.extend(HASHED.into_iter().rev().map(value));
        let charges = ["additionalCharges", "additional_charges"].map(value);
        if let Some(charges) = charges.into_iter().find(|charges| !charges.is_empty()) {
            values.insert(0, charges);
        }
        signature::of_values(&values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateways::form::{FormGateway, KEY, tests::checkout};

    #[test]
    fn a_callback_is_hashed_with_everything_that_the_gateway_knows() {
        let callback = FormGateway.success(&checkout());
        assert_eq!(callback.path, "/v1/billing/gateway_form/callback");
        let plain = format!(
            "{SALT}|success|||||||||||ada@example.com|Ada|Halyard Pro|1999.00|FF_0199d6c5_1777896000000|{KEY}"
        );
        assert_eq!(callback.hash(), signature::of_values(&[&plain]));

        let charged = callback
            .clone()
            .with("udf1", "x")
            .with("additional_charges", "12.50");
        let plain = format!(
            "12.50|{SALT}|success||||||||||x|ada@example.com|Ada|Halyard Pro|1999.00|FF_0199d6c5_1777896000000|{KEY}"
        );
        assert_eq!(charged.hash(), signature::of_values(&[&plain]));

        let forged = callback.clone().altered("amount", "1.00");
        assert_eq!(forged.hash(), callback.hash());
        assert!(
            forged
                .fields()
                .contains(&("amount".to_owned(), "1.00".to_owned()))
        );
    }
}
