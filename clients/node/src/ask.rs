//! What is asked of a client, by the numbers of the client, the key and the context.
//!
//! These functions take their arguments themselves: what napi does around functions in general takes nearly as long as an answer.

use std::sync::{Arc, LazyLock};

use napi::{
    Env,
    bindgen_prelude::{FunctionCallContext, JsObjectValue, Object, ToNapiValue},
};
use napi_derive::napi;
use serde_json::Value;

use crate::{
    detail,
    numbered::{Asking, numbered},
};

/// Stand for the default of the caller, which does not leave JavaScript: told from answers by where they are.
static NO_TEXT: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from(""));
static NO_VALUE: LazyLock<Arc<Value>> = LazyLock::new(Arc::default);

type Call<'c> = FunctionCallContext<'c>;

/// Adds the functions to what the library has.
///
/// # Errors
/// When the thread is ending.
#[napi(module_exports)]
pub fn functions(mut library: Object<'_>, env: Env) -> napi::Result<()> {
    add(&mut library, env, "boolean", boolean)?;
    add(&mut library, env, "number", number)?;
    add(&mut library, env, "string", string)?;
    add(&mut library, env, "json", json)?;
    add(&mut library, env, "booleanDetail", boolean_detail)?;
    add(&mut library, env, "numberDetail", number_detail)?;
    add(&mut library, env, "stringDetail", string_detail)?;
    add(&mut library, env, "jsonDetail", json_detail)
}

fn add<T: ToNapiValue>(
    library: &mut Object<'_>,
    env: Env,
    name: &str,
    function: impl Fn(Call<'_>) -> napi::Result<T> + 'static,
) -> napi::Result<()> {
    let function = env.create_function_from_closure::<(), T, _>(name, function)?;
    library.set_named_property(name, function)
}

/// Asks what the first three arguments name, unless it is not there.
fn ask<T>(call: &Call<'_>, question: impl FnOnce(Asking<'_>) -> T) -> napi::Result<Option<T>> {
    Ok(numbered(call.get(0)?, call.get(1)?, call.get(2)?, question))
}

/// The value of a boolean flag, or the default, which is the fourth argument.
fn boolean(call: Call<'_>) -> napi::Result<bool> {
    let default = call.get(3)?;
    let answer = ask(&call, |of| of.client.bool(of.key, of.context, default))?;
    Ok(answer.unwrap_or(default))
}

/// The value of a flag that is a number, or the default, which is the fourth argument.
fn number(call: Call<'_>) -> napi::Result<f64> {
    let default = call.get(3)?;
    let answer = ask(&call, |of| of.client.number(of.key, of.context, default))?;
    Ok(answer.unwrap_or(default))
}

/// The value of a flag that is a text, if there is one.
fn string(call: Call<'_>) -> napi::Result<Option<String>> {
    let answer = ask(&call, |of| {
        let default = Arc::clone(&NO_TEXT);
        of.client.string(of.key, of.context, default)
    })?;
    let text = answer.filter(|text| !Arc::ptr_eq(text, &NO_TEXT));
    Ok(text.map(|text| (*text).to_owned()))
}

/// The value of any flag as the text of its JSON, if there is one.
fn json(call: Call<'_>) -> napi::Result<Option<String>> {
    let answer = ask(&call, |of| {
        let default = Arc::clone(&NO_VALUE);
        of.client.json(of.key, of.context, default)
    })?;
    let value = answer.filter(|value| !Arc::ptr_eq(value, &NO_VALUE));
    Ok(value.map(|value| value.to_string()))
}

/// `boolean`, if there is a value; `why` tells the rest.
fn boolean_detail(call: Call<'_>) -> napi::Result<Option<bool>> {
    let answer = ask(&call, |of| of.client.bool_detail(of.key, of.context, false))?;
    Ok(detail::keep(answer))
}

/// The same of `number`.
fn number_detail(call: Call<'_>) -> napi::Result<Option<f64>> {
    let answer = ask(&call, |of| of.client.number_detail(of.key, of.context, 0.0))?;
    Ok(detail::keep(answer))
}

/// The same of `string`.
fn string_detail(call: Call<'_>) -> napi::Result<Option<String>> {
    let answer = ask(&call, |of| {
        let default = Arc::clone(&NO_TEXT);
        of.client.string_detail(of.key, of.context, default)
    })?;
    Ok(detail::keep(answer).map(|text| (*text).to_owned()))
}

/// The same of `json`.
fn json_detail(call: Call<'_>) -> napi::Result<Option<String>> {
    let answer = ask(&call, |of| {
        let default = Arc::clone(&NO_VALUE);
        of.client.json_detail(of.key, of.context, default)
    })?;
    Ok(detail::keep(answer).map(|value| value.to_string()))
}
