//! `gateway_form`: PayU's hosted checkout. The payer's browser posts a form to the gateway, and the gateway posts the outcome
//! back through it; both forms carry a SHA-512 over their fields and a salt that only the two sides know.
//!
//! Formulas: <https://docs.payu.in/docs/generate-hash-merchant-hosted>.

use std::collections::BTreeMap;

use aws_lc_rs::constant_time;
use secrecy::{ExposeSecret, SecretString};
use serde_json::value::RawValue;
use sha2::{Digest, Sha512};
use url::form_urlencoded;

/// Replaces a name without usable characters.
const NO_NAME: &str = "Customer";

/// The fields of a request that its hash protects.
#[derive(Debug)]
pub struct Request<'a> {
    pub txnid: &'a str,
    /// With two decimals.
    pub amount: &'a str,
    pub productinfo: &'a str,
    pub firstname: &'a str,
    pub email: &'a str,
}

impl Request<'_> {
    pub fn hash(&self, key: &str, salt: &SecretString) -> String {
        self.hash_with([""; 5], key, salt)
    }

    fn hash_with(&self, udf: [&str; 5], key: &str, salt: &SecretString) -> String {
        let Self {
            txnid,
            amount,
            productinfo,
            firstname,
            email,
        } = self;
        let mut parts = vec![key, txnid, amount, productinfo, firstname, email];
        parts.extend(udf);
        // Five fields reserved by the gateway.
        parts.extend([""; 5]);
        parts.push(salt.expose_secret());
        hash(&parts)
    }
}

/// A name without `|`, which separates the parts of the hash, of at most 60 characters, the gateway's limit.
pub fn firstname(name: &str) -> String {
    let name: String = name.replace('|', "").trim().chars().take(60).collect();
    let name = name.trim();
    if name.is_empty() { NO_NAME } else { name }.to_owned()
}

#[derive(Debug)]
pub struct Callback(BTreeMap<String, String>);

impl Callback {
    /// Parses a form. Of a repeated field, the first counts.
    pub fn from_form(body: &[u8]) -> Self {
        let mut fields = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(body) {
            fields
                .entry(name.into_owned())
                .or_insert(value.into_owned());
        }
        Self(fields)
    }

    /// Parses a JSON object; numbers keep their notation.
    pub fn from_json(body: &[u8]) -> serde_json::Result<Self> {
        let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(body)?;
        let mut texts = BTreeMap::new();
        for (name, value) in fields {
            let text = match value.get().as_bytes() {
                [b'"', ..] => serde_json::from_str(value.get())?,
                [b'-' | b'0'..=b'9', ..] => value.get().to_owned(),
                _ => continue,
            };
            texts.insert(name, text);
        }
        Ok(Self(texts))
    }

    /// Whether any field holds a NUL, which Postgres cannot store.
    pub fn has_nul(&self) -> bool {
        self.0.values().any(|value| value.contains('\0'))
    }

    /// A field; empty if missing.
    pub fn field(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Verifies the hash over the fields in constant time; the case of the hex is ignored.
    pub fn is_genuine(&self, key: &str, salt: &SecretString) -> bool {
        let given = self.field("hash").to_ascii_lowercase();
        let expected = self.expected_hash(key, salt);
        constant_time::verify_slices_are_equal(given.as_bytes(), expected.as_bytes()).is_ok()
    }

    fn expected_hash(&self, key: &str, salt: &SecretString) -> String {
        let mut parts = Vec::new();
        let charges = [
            self.field("additionalCharges"),
            self.field("additional_charges"),
        ];
        parts.extend(charges.into_iter().find(|value| !value.is_empty()));
        parts.extend([salt.expose_secret(), self.field("status")]);
        parts.extend([""; 5]);
        parts.extend(["udf5", "udf4", "udf3", "udf2", "udf1"].map(|name| self.field(name)));
        parts.extend(
            ["email", "firstname", "productinfo", "amount", "txnid"].map(|name| self.field(name)),
        );
        parts.push(key);
        hash(&parts)
    }
}

/// The SHA-512 of the parts joined by bars, in lower-case hex.
pub fn hash(parts: &[&str]) -> String {
    hex::encode(Sha512::digest(parts.join("|")))
}

/// Our id of a checkout, of 25 characters, the gateway's limit. `now_ms` is Unix time in milliseconds.
pub fn txnid(org_id: &str, now_ms: i64) -> String {
    let short: String = org_id.chars().take(8).collect();
    format!("FF_{short}_{now_ms:013}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn salt() -> SecretString {
        "3sf0jURk".into()
    }

    /// From the gateway's documentation of hash generation.
    #[test]
    fn the_documented_request_has_the_documented_hash() {
        let request = Request {
            txnid: "12345",
            amount: "10",
            productinfo: "Shopping",
            firstname: "Test",
            email: "test@test.com",
        };
        let hash = request.hash_with(["", "abc", "", "15", ""], "C0Dr8m", &salt());
        let documented = "ffcdbf04fa5beefdcc2dd476c18bc410f02b3968e7f4f54e8f43f1e1a310bb32\
                          e3b4dec9305232bb89db5b1d0c009a53bcace6f4bd8ec2f695baf3d43ba730ce";
        assert_eq!(hash, documented);
    }

    #[test]
    fn names_lose_their_bars_and_what_is_too_long() {
        assert_eq!(firstname(" Ada |Lovelace| "), "Ada Lovelace");
        assert_eq!(firstname("|||"), NO_NAME);
        assert_eq!(firstname(&"ö".repeat(255)), "ö".repeat(60));
    }

    #[test]
    fn transaction_ids_fit_the_gateway() {
        let id = txnid("0199d6c5-0a3f-7c41-8d1c-111111111111", 1_777_896_000_000);
        assert_eq!(id, "FF_0199d6c5_1777896000000");
        assert_eq!(id.len(), 25);
    }

    #[test]
    fn a_changed_field_or_another_salt_is_found() {
        let fields = "status=success&email=a%40b.test&firstname=Ada&productinfo=X&amount=10.00&txnid=T1&udf1=u";
        let unsigned = Callback::from_form(fields.as_bytes());
        let hash = unsigned.expected_hash("key", &salt());
        for hash in [hash.clone(), hash.to_uppercase()] {
            let signed = format!("{fields}&hash={hash}");
            assert!(Callback::from_form(signed.as_bytes()).is_genuine("key", &salt()));
            assert!(!Callback::from_form(signed.as_bytes()).is_genuine("other", &salt()));
            assert!(!Callback::from_form(signed.as_bytes()).is_genuine("key", &"other".into()));
            for (from, to) in [
                ("success", "failure"),
                ("10.00", "1.00"),
                ("T1", "T2"),
                ("udf1=u", "udf1=v"),
                ("Ada", "Eve"),
            ] {
                let forged = signed.replacen(from, to, 1);
                assert!(
                    !Callback::from_form(forged.as_bytes()).is_genuine("key", &salt()),
                    "{forged}"
                );
            }
            let charged = format!("{signed}&additionalCharges=5.00");
            assert!(!Callback::from_form(charged.as_bytes()).is_genuine("key", &salt()));
        }
        assert!(!unsigned.is_genuine("key", &salt()));
    }

    #[test]
    fn numbers_in_json_count_as_they_are_written() {
        let body = br#"{"amount": 1999.00, "status": "succ\u0065ss", "udf1": null, "udf2": [1], "discount":-1e2}"#;
        let callback = Callback::from_json(body).unwrap();
        let fields =
            ["amount", "status", "udf1", "udf2", "discount"].map(|name| callback.field(name));
        assert_eq!(fields, ["1999.00", "success", "", "", "-1e2"]);
        assert!(Callback::from_json(b"[]").is_err());
        assert!(Callback::from_json(br#"{"status": "\ud800"}"#).is_err());
    }

    #[test]
    fn additional_charges_stand_in_front_under_both_names() {
        let fields =
            "status=success&email=a%40b.test&firstname=Ada&productinfo=X&amount=10.00&txnid=T1";
        let text = "5.00|3sf0jURk|success|||||||||||a@b.test|Ada|X|10.00|T1|key";
        let hash = hex::encode(Sha512::digest(text));
        for name in ["additionalCharges", "additional_charges"] {
            let form = format!("{fields}&{name}=5.00&hash={hash}");
            assert!(
                Callback::from_form(form.as_bytes()).is_genuine("key", &salt()),
                "{name}"
            );
        }
    }
}
