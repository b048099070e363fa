//! libFuzzer, with the target that HALYARD_FUZZ names.

#![no_main]

use std::{env, sync::LazyLock};

use fuzz::{TARGETS, Target};
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = env::var("HALYARD_FUZZ").unwrap_or_default();
    let found = TARGETS.iter().find(|target| target.name == name);
    *found.unwrap_or_else(|| panic!("HALYARD_FUZZ names no target: {name:?}"))
});

fuzz_target!(|bytes: &[u8]| (TARGET.run)(bytes));
