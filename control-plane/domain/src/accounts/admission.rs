//! Whether somebody may open an account of their own accord, as `SIGNUP` says. The refusals are the same whoever asks about
//! whichever address: they tell nobody who has an account.

use super::Accounts;
use crate::config::SignupPolicy;
use base::refusal::Refusal;

const CLOSED: Refusal = Refusal::Forbidden(
    "sign-up is closed on this installation: ask whoever operates it for an account, or sign in at POST /v1/auth/login",
);
const BY_INVITATION: Refusal = Refusal::Forbidden(
    "sign-up is by invitation on this installation: have an owner or admin of an organization invite the address, \
     then begin at POST /v1/auth/initiate-signup, or sign in at POST /v1/auth/login",
);

impl Accounts {
    /// Refuses where nobody may sign up. Ask first: what else is wrong with a sign-up does not matter then.
    pub fn allow_signups(&self) -> Result<(), Refusal> {
        match self.settings.signup {
            SignupPolicy::Open | SignupPolicy::Invited => Ok(()),
            SignupPolicy::Closed => Err(CLOSED),
        }
    }

    /// The same for those whose address nobody has invited, or who do not prove that it is theirs.
    pub fn allow_uninvited(&self) -> Result<(), Refusal> {
        match self.settings.signup {
            SignupPolicy::Open => Ok(()),
            SignupPolicy::Invited => Err(BY_INVITATION),
            SignupPolicy::Closed => Err(CLOSED),
        }
    }
}
