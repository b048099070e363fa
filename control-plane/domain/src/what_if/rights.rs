//! Who may see contexts.

use crate::{
    members::caller::Caller,
    roles::keys::{Permission as _, WhatIfExamples},
};

/// Whether a caller may see contexts whose answers a draft changes: everything else that edges tell is counts.
pub fn sees_examples(caller: &Caller) -> bool {
    caller.role.is_manager() && caller.require(WhatIfExamples::NEEDS).is_ok()
}
