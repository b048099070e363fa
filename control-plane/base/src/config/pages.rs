//! The pages of the dashboard that mail, redirects and payment gateways lead to. All of their addresses are made here, and a test
//! compares them with the pages that are served.

use url::form_urlencoded;

use super::UrlSettings;
use crate::ids::ChangeSetId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    Home,
    Login,
    SignUp,
    ForgotPassword,
    Billing,
    Onboarding,
    Approvals,
}

impl Page {
    pub const ALL: [Self; 7] = [
        Self::Home,
        Self::Login,
        Self::SignUp,
        Self::ForgotPassword,
        Self::Billing,
        Self::Onboarding,
        Self::Approvals,
    ];

    pub const fn path(self) -> &'static str {
        match self {
            Self::Home => "/",
            Self::Login => "/login",
            Self::SignUp => "/signup",
            Self::ForgotPassword => "/forgot-password",
            Self::Billing => "/settings/billing",
            Self::Onboarding => "/onboarding",
            Self::Approvals => "/approvals",
        }
    }
}

impl UrlSettings {
    /// The address of a page.
    pub fn page(&self, page: Page) -> String {
        let path = page.path().trim_end_matches('/');
        format!("{}{path}", self.dashboard)
    }

    /// The address of the page of a change set.
    pub fn change_set(&self, project_slug: &str, id: ChangeSetId) -> String {
        format!("{}/p/{project_slug}/change-sets/{id}", self.dashboard)
    }

    /// The address of a page with a query.
    pub fn page_with(&self, page: Page, query: &[(&str, &str)]) -> String {
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(query)
            .finish();
        format!("{}?{query}", self.page(page))
    }
}
