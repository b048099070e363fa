//! How the library is linked so that Node.js loads it.

fn main() {
    napi_build::setup();
}
