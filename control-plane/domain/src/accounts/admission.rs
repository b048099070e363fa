//! Whether users may open accounts by themselves, as set by `SIGNUP`. The refusals do not depend on the address, so they do not
//! reveal who has an account.

use super::{Accounts, settings::SignupPolicy};
use base::refusal::Refusal;

const CLOSED: Refusal = Refusal::Forbidden(
    "sign-up is closed on this installation: ask whoever operates it for an account, or sign in at POST /v1/auth/login",
);
const BY_INVITATION: Refusal = Refusal::Forbidden(
    "sign-up is by invitation on this installation: have an owner or admin of an organization invite the address, \
     then begin at POST /v1/auth/initiate-signup, or sign in at POST /v1/auth/login",
);

impl Accounts {
    /// Refuses if sign-ups are closed. Checked before the rest of the request.
    pub fn allow_signups(&self) -> Result<(), Refusal> {
        match self.settings.signup {
            SignupPolicy::Open | SignupPolicy::Invited => Ok(()),
            SignupPolicy::Closed => Err(CLOSED),
        }
    }

    /// Refuses unless sign-ups are open. For an address that is not invited, or not proven.
    pub fn allow_uninvited(&self) -> Result<(), Refusal> {
        match self.settings.signup {
            SignupPolicy::Open => Ok(()),
            SignupPolicy::Invited => Err(BY_INVITATION),
            SignupPolicy::Closed => Err(CLOSED),
        }
    }
}
