//! A stand-in for `gateway_form`: PayU's side of its hosted checkout. It takes the form that a payer's browser posts, and makes
//! the form that the browser brings back.

mod api;
mod callback;

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

pub use api::FormApi;
pub use callback::Callback;

use super::signature;
use crate::caller::{Caller, Response};

/// Who the merchant is.
pub const KEY: &str = "C0Dr8m";
/// What both sides hash with.
pub const SALT: &str = "3sf0jURk";

/// The fields of a checkout that its hash is made of, in this order.
pub const HASHED: [&str; 6] = [
    "key",
    "txnid",
    "amount",
    "productinfo",
    "firstname",
    "email",
];

const URL: &str = "https://form-gateway.test/_payment";

/// The gateway. It listens nowhere: payers carry everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormGateway;

impl FormGateway {
    /// What makes a control plane use it.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("GATEWAY_FORM_URL", URL.to_owned()),
            ("GATEWAY_FORM_KEY", KEY.to_owned()),
            ("GATEWAY_FORM_SALT", SALT.to_owned()),
        ]
    }

    /// Takes the fields of a checkout, or says what the gateway would refuse them for.
    pub fn check(&self, checkout: &Value) -> Result<(), String> {
        let text = |name: &str| match checkout[name].as_str() {
            Some(text) if !text.is_empty() => Ok(text),
            _ => Err(format!("{name} is mandatory")),
        };
        for (name, longest) in [
            ("txnid", 25),
            ("productinfo", 100),
            ("firstname", 60),
            ("email", 50),
            ("phone", 50),
        ] {
            if text(name)?.chars().count() > longest {
                return Err(format!("{name} is longer than {longest}"));
            }
        }
        if text("key")? != KEY {
            return Err("no such merchant".to_owned());
        }
        if !is_amount(text("amount")?) {
            return Err("amount has more than digits and two decimals".to_owned());
        }
        if !text("phone")?.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("phone has more than digits".to_owned());
        }
        for name in ["surl", "furl"] {
            path_of(text(name)?).ok_or_else(|| format!("{name} is no address"))?;
        }
        for name in HASHED {
            if text(name)?.contains('|') {
                return Err(format!("{name} has a bar, which the hash is made with"));
            }
        }
        if text("hash")? != request_hash(checkout) {
            return Err("the hash is another".to_owned());
        }
        Ok(())
    }

    /// What the payer brings back after paying.
    ///
    /// # Panics
    /// When the gateway would not have taken the payment.
    #[must_use]
    pub fn success(&self, checkout: &Value) -> Callback {
        self.callback(checkout, "success", "surl", "captured")
    }

    /// What the payer brings back after a failure.
    ///
    /// # Panics
    /// As [`Self::success`].
    #[must_use]
    pub fn failure(&self, checkout: &Value) -> Callback {
        self.callback(checkout, "failure", "furl", "failed")
    }

    fn callback(&self, checkout: &Value, status: &str, address: &str, unmapped: &str) -> Callback {
        if let Err(complaint) = self.check(checkout) {
            panic!("the gateway refuses the checkout: {complaint}\n{checkout:#}");
        }
        let mut fields = BTreeMap::new();
        let mut set = |name: &str, value: &str| fields.insert(name.to_owned(), value.to_owned());
        for name in HASHED.into_iter().chain(["phone"]) {
            set(name, checkout[name].as_str().unwrap_or_default());
        }
        for number in 1..=10 {
            set(&format!("udf{number}"), "");
        }
        for name in [
            "lastname", "address1", "address2", "city", "state", "country", "zipcode",
        ] {
            set(name, "");
        }
        set("status", status);
        set("unmappedstatus", unmapped);
        set("mihpayid", "403993715531077182");
        set("mode", "CC");
        set("discount", "0.00");
        set(
            "net_amount_debit",
            checkout["amount"].as_str().unwrap_or_default(),
        );
        set("addedon", "2026-05-04 17:30:00");
        set("PG_TYPE", "CC-PG");
        set("bank_ref_num", "0dfa3e3c");
        set("bankcode", "CC");
        set("error", if status == "success" { "E000" } else { "E308" });
        set(
            "error_Message",
            if status == "success" {
                "No Error"
            } else {
                "Bank was unable to authenticate"
            },
        );
        Callback {
            path: path_of(checkout[address].as_str().unwrap_or_default()).unwrap_or_default(),
            fields,
            altered: BTreeMap::new(),
        }
    }

    /// Posts a callback where the checkout said that it should go.
    pub async fn deliver(&self, caller: &Caller, callback: &Callback) -> Response {
        self.post(caller, &callback.path, &callback.fields()).await
    }

    /// Posts a form, as the payer's browser does.
    pub async fn post(&self, caller: &Caller, path: &str, fields: &[(String, String)]) -> Response {
        caller
            .send(caller.request(Method::POST, path).form(fields))
            .await
    }
}

/// A checkout as the service makes it.
#[must_use]
pub fn checkout_of(firstname: &str) -> Value {
    let mut checkout = json!({
        "key": KEY,
        "txnid": "FF_0199d6c5_1777896000000",
        "amount": "1999.00",
        "productinfo": "Halyard Pro",
        "firstname": firstname,
        "email": "ada@example.com",
        "phone": "9999999999",
        "surl": "http://localhost:8080/v1/billing/gateway_form/callback",
        "furl": "http://localhost:8080/v1/billing/gateway_form/failure",
    });
    checkout["hash"] = json!(request_hash(&checkout));
    checkout
}

/// The hash that the gateway expects of a checkout.
#[must_use]
pub fn request_hash(checkout: &Value) -> String {
    let value = |name: &str| checkout[name].as_str().unwrap_or_default();
    let mut values = HASHED.map(value).to_vec();
    values.extend([""; 10]);
    values.push(SALT);
    signature::of_values(&values)
}

fn is_amount(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(decimals) && decimals.len() <= 2
}

fn path_of(address: &str) -> Option<String> {
    let uri: axum::http::Uri = address.parse().ok()?;
    uri.scheme()?;
    Some(uri.path_and_query()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn checkout() -> Value {
        checkout_of("Ada")
    }

    #[test]
    fn a_checkout_is_taken_as_it_should_be_and_in_no_other_way() {
        assert_eq!(FormGateway.check(&checkout()), Ok(()));
        let refused = [
            (
                "txnid",
                "FF_0199d6c5_17778960000000",
                "txnid is longer than 25",
            ),
            ("firstname", "", "firstname is mandatory"),
            (
                "amount",
                "1999.000",
                "amount has more than digits and two decimals",
            ),
            ("phone", "+49 30", "phone has more than digits"),
            ("surl", "/callback", "surl is no address"),
            (
                "firstname",
                "Ada|Grace",
                "firstname has a bar, which the hash is made with",
            ),
            ("firstname", "Grace", "the hash is another"),
            ("key", "other", "no such merchant"),
        ];
        for (name, value, complaint) in refused {
            let mut checkout = checkout();
            checkout[name] = json!(value);
            assert_eq!(FormGateway.check(&checkout), Err(complaint.to_owned()));
        }
    }
}
