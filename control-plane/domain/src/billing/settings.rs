//! Settings of payment gateways.

use std::time::Duration;

use secrecy::SecretString;
use serving::settings::{
    Reader,
    spans::{MILLISECOND, MINUTE},
};
use url::Url;

use super::{money::Amount, pricing::Price};
use base::input::is_longer_than;

const MAX_PRICE: Amount = Amount::from_minor(9_999_999_999);

/// The payment gateways of this installation. One that lacks any of its settings is not used.
#[derive(Clone, Debug)]
pub struct BillingSettings {
    pub form: Option<FormGatewaySettings>,
    pub redirect: Option<RedirectGatewaySettings>,
    /// `PRICING_PRO_PRICE`, `PRICING_CURRENCY`, `PRICING_CURRENCY_SYMBOL`: a month of Pro; default ₹1,999.
    pub price: Price,
    /// `GATEWAY_TIMEOUT`: how long one call to a gateway may take; default `5s`. A call is tried three times.
    pub timeout: Duration,
}

#[derive(Clone, Debug)]
pub struct FormGatewaySettings {
    /// `GATEWAY_FORM_URL`: where payers post the form to.
    pub url: String,
    /// `GATEWAY_FORM_KEY`: our merchant key.
    pub key: String,
    /// `GATEWAY_FORM_SALT`: the shared secret of the hashes.
    pub salt: SecretString,
    /// `GATEWAY_FORM_API_URL`: the API for payment queries; without it, none are made.
    pub api_url: Option<String>,
    /// `GATEWAY_FORM_PHONE`: placeholder for the payer's telephone number, which is unknown; default `9999999999`.
    pub phone: String,
}

/// `gateway_redirect`.
#[derive(Clone, Debug)]
pub struct RedirectGatewaySettings {
    /// `GATEWAY_REDIRECT_API_URL`: base of its API, without a trailing slash.
    pub api_url: String,
    /// `GATEWAY_REDIRECT_SECRET_KEY`: our API key.
    pub secret_key: SecretString,
    /// `GATEWAY_REDIRECT_WEBHOOK_SECRET`: the key of event signatures.
    pub webhook_secret: SecretString,
    /// `GATEWAY_REDIRECT_PRICE_ID`: the subscribed price.
    pub price_id: String,
}

impl BillingSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        let timeout = reader.duration(
            "GATEWAY_TIMEOUT",
            Duration::from_secs(5),
            MILLISECOND..=MINUTE,
        );
        Self {
            form: form(reader),
            redirect: redirect(reader),
            price: price(reader),
            timeout,
        }
    }
}

fn price(reader: &mut Reader<'_>) -> Price {
    let pro = reader.parse("PRICING_PRO_PRICE", Amount::from_minor(199_900));
    if !(1..=MAX_PRICE.minor()).contains(&pro.minor()) {
        reader.problem(
            "PRICING_PRO_PRICE",
            format!("`{pro}`: expected an amount between 0.01 and {MAX_PRICE}"),
        );
    }
    let currency = reader.text("PRICING_CURRENCY", "INR");
    if currency.len() != 3 || !currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
        let problem = format!("`{currency}`: expected a code of ISO 4217, such as EUR");
        reader.problem("PRICING_CURRENCY", problem);
    }
    let symbol = reader.optional("PRICING_CURRENCY_SYMBOL");
    if symbol
        .as_deref()
        .is_some_and(|symbol| is_longer_than(symbol, 8) || symbol.chars().any(char::is_control))
    {
        let problem = "expected at most 8 characters, without control characters";
        reader.problem("PRICING_CURRENCY_SYMBOL", problem);
    }
    let symbol = symbol.unwrap_or_else(|| match currency.as_str() {
        "INR" => "₹".to_owned(),
        _ => format!("{currency} "),
    });
    Price {
        pro,
        currency,
        symbol,
    }
}

fn form(reader: &mut Reader<'_>) -> Option<FormGatewaySettings> {
    let url = address(reader, "GATEWAY_FORM_URL");
    let key = reader.optional("GATEWAY_FORM_KEY");
    let salt = reader.secret("GATEWAY_FORM_SALT");
    let api_url = address(reader, "GATEWAY_FORM_API_URL");
    let phone = reader.text("GATEWAY_FORM_PHONE", "9999999999");
    Some(FormGatewaySettings {
        url: url?,
        key: key?,
        salt: salt?,
        api_url,
        phone,
    })
}

fn redirect(reader: &mut Reader<'_>) -> Option<RedirectGatewaySettings> {
    let api_url = address(reader, "GATEWAY_REDIRECT_API_URL");
    let secret_key = reader.secret("GATEWAY_REDIRECT_SECRET_KEY");
    let webhook_secret = reader.secret("GATEWAY_REDIRECT_WEBHOOK_SECRET");
    let price_id = reader.optional("GATEWAY_REDIRECT_PRICE_ID");
    Some(RedirectGatewaySettings {
        api_url: api_url?.trim_end_matches('/').to_owned(),
        secret_key: secret_key?,
        webhook_secret: webhook_secret?,
        price_id: price_id?,
    })
}

fn address(reader: &mut Reader<'_>, name: &str) -> Option<String> {
    let text = reader.optional(name)?;
    let is_http = Url::parse(&text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if !is_http {
        reader.problem(name, format!("`{text}`: expected an http or https address"));
    }
    Some(text)
}
