//! How the library is linked so that Node.js loads it.

use std::env;

#[expect(
    clippy::disallowed_methods,
    reason = "by which Cargo tells build scripts the target"
)]
fn main() {
    napi_build::setup();
    // Names of functions are of no use to those who install it, and are half of the file.
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => println!("cargo:rustc-cdylib-link-arg=-Wl,-s"),
        Ok("macos") => println!("cargo:rustc-cdylib-link-arg=-Wl,-x"),
        _ => {}
    }
}
