//! Stand-ins for the payment gateways, on loopback, with state and trouble. They are written from the gateways' own
//! documentation, and share no code with the service.

pub mod form;
pub mod redirect;
pub mod signature;

use serving::clock::Clock;

pub use form::{Callback, FormApi, FormGateway};
pub use redirect::{Effect, Event, RedirectGateway, Request, Shape, Trouble};

use crate::app::{App, START};

/// One of each.
pub struct Gateways {
    pub form: FormGateway,
    /// Where it is asked what became of a payment.
    pub form_api: FormApi,
    pub redirect: RedirectGateway,
}

impl Gateways {
    /// Both, on a clock that stands still until [`Self::app`] brings its own.
    pub async fn start() -> Self {
        Self {
            form: FormGateway,
            form_api: FormApi::start().await,
            redirect: RedirectGateway::start(Clock::manual(START)).await,
        }
    }

    /// A control plane that uses both, with further settings; the gateways follow its clock.
    pub async fn app(&self, settings: &[(&str, &str)]) -> App {
        let own: Vec<_> = self
            .form
            .settings()
            .into_iter()
            .chain(self.redirect.settings())
            .chain([("GATEWAY_FORM_API_URL", self.form_api.url())])
            .collect();
        let own = own.iter().map(|(name, value)| (*name, value.as_str()));
        let all: Vec<_> = own.chain(settings.iter().copied()).collect();
        let app = App::start_with(&all).await;
        self.redirect.follow(&app.clock);
        app
    }
}
