//! What payers do, and what time does: each method returns the events that the gateway would send, in the order of Stripe's
//! most common deliveries. Real ones arrive in any order, late, and more than once.

use super::account::{Account, a_month_after};
use super::objects::{Session, Subscription};
use super::{Event, RedirectGateway};

impl RedirectGateway {
    /// The id of the session that was opened last.
    ///
    /// # Panics
    /// When none was.
    #[must_use]
    pub fn latest_session(&self) -> String {
        let account = self.account();
        let (id, _) = account.sessions.last_key_value().expect("a session");
        id.clone()
    }

    /// The ids of the sessions that can be paid for.
    #[must_use]
    pub fn open_sessions(&self) -> Vec<String> {
        let account = self.account();
        let now = account.now();
        let open = account
            .sessions
            .values()
            .filter(|it| it.status(now) == "open");
        open.map(|session| session.id.clone()).collect()
    }

    /// The ids of all subscriptions, ended ones included, oldest first.
    #[must_use]
    pub fn subscriptions(&self) -> Vec<String> {
        self.account().subscriptions.keys().cloned().collect()
    }

    /// The payer completes a session: a customer and a subscription. The first event is `checkout.session.completed`.
    ///
    /// # Panics
    /// When there is no such session, or it is not open.
    pub fn pay(&self, session: &str) -> Vec<Event> {
        let mut account = self.account();
        let subscription = account.complete(session, "active");
        account
            .sessions
            .get_mut(session)
            .expect("a session")
            .is_paid = true;
        vec![
            account.session_event("checkout.session.completed", session),
            account.subscription_event("customer.subscription.created", &subscription),
            account.invoice_event("invoice.paid", &subscription),
        ]
    }

    /// The payer completes a session with a payment that takes days: `checkout.session.completed` says `unpaid`.
    ///
    /// # Panics
    /// As [`Self::pay`].
    pub fn pay_slowly(&self, session: &str) -> Vec<Event> {
        let mut account = self.account();
        let subscription = account.complete(session, "incomplete");
        vec![
            account.session_event("checkout.session.completed", session),
            account.subscription_event("customer.subscription.created", &subscription),
        ]
    }

    /// The payment of [`Self::pay_slowly`] arrives.
    ///
    /// # Panics
    /// When the session was not completed.
    pub fn settle(&self, session: &str) -> Vec<Event> {
        let mut account = self.account();
        let settled = account.sessions.get_mut(session).expect("a session");
        settled.is_paid = true;
        let subscription = settled.subscription.clone().expect("it is complete");
        "active".clone_into(&mut account.known(&subscription).status);
        vec![
            account.session_event("checkout.session.async_payment_succeeded", session),
            account.subscription_event("customer.subscription.updated", &subscription),
            account.invoice_event("invoice.paid", &subscription),
        ]
    }

    /// The payer lets a session go.
    ///
    /// # Panics
    /// As [`Self::pay`].
    pub fn expire(&self, session: &str) -> Event {
        let mut account = self.account();
        account.open(session);
        account.expire_now(session);
        account.session_event("checkout.session.expired", session)
    }

    /// The next month is paid: the period moves to it.
    ///
    /// # Panics
    /// When there is no such subscription, as all methods below.
    pub fn renew(&self, subscription: &str) -> Vec<Event> {
        let mut account = self.account();
        account.begin_next_period(subscription, "active");
        vec![
            account.subscription_event("customer.subscription.updated", subscription),
            account.invoice_event("invoice.paid", subscription),
        ]
    }

    /// The next month cannot be paid: the period moves, the subscription is past due. The first event is `invoice.payment_failed`.
    pub fn fail_payment(&self, subscription: &str) -> Vec<Event> {
        let mut account = self.account();
        account.begin_next_period(subscription, "past_due");
        vec![
            account.invoice_event("invoice.payment_failed", subscription),
            account.subscription_event("customer.subscription.updated", subscription),
        ]
    }

    /// The month that could not be paid is paid after all: the period stays.
    pub fn pay_outstanding(&self, subscription: &str) -> Vec<Event> {
        let mut account = self.account();
        "active".clone_into(&mut account.known(subscription).status);
        vec![
            account.subscription_event("customer.subscription.updated", subscription),
            account.invoice_event("invoice.paid", subscription),
        ]
    }

    /// It ends now, whoever wanted that.
    pub fn end_subscription(&self, subscription: &str) -> Event {
        let mut account = self.account();
        account.known(subscription);
        account.end(subscription);
        account.subscription_event("customer.subscription.deleted", subscription)
    }

    /// It has another status now, such as `unpaid` or `paused`.
    pub fn set_status(&self, subscription: &str, status: &str) -> Event {
        let mut account = self.account();
        status.clone_into(&mut account.known(subscription).status);
        account.subscription_event("customer.subscription.updated", subscription)
    }

    /// The payer decides in the portal whether it goes on after the period.
    pub fn set_cancel_at_period_end(&self, subscription: &str, cancel: bool) -> Event {
        let mut account = self.account();
        let now = account.now();
        let changed = account.known(subscription);
        changed.cancel_at_period_end = cancel;
        changed.canceled_at = cancel.then_some(now);
        account.subscription_event("customer.subscription.updated", subscription)
    }

    /// An event that says what is true now, without any change.
    #[must_use]
    pub fn report(&self, subscription: &str) -> Event {
        self.account()
            .subscription_event("customer.subscription.updated", subscription)
    }

    /// The events that calls to the API caused since the last time.
    #[must_use]
    pub fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut self.account().caused)
    }

    /// A subscription as the API shows it.
    #[must_use]
    pub fn subscription(&self, id: &str) -> serde_json::Value {
        self.account().show_subscription(id)
    }
}

impl Account {
    fn open(&mut self, session: &str) -> &mut Session {
        let now = self.now();
        let session = self.sessions.get_mut(session).expect("a session");
        assert_eq!(session.status(now), "open");
        session
    }

    /// Nobody can pay a session any longer.
    pub(super) fn expire_now(&mut self, session: &str) {
        let now = self.now();
        self.sessions
            .get_mut(session)
            .expect("a session")
            .expires_at = now;
    }

    fn known(&mut self, subscription: &str) -> &mut Subscription {
        self.subscriptions
            .get_mut(subscription)
            .expect("a subscription")
    }

    fn begin_next_period(&mut self, subscription: &str, status: &str) {
        let invoice = self.new_id("in");
        let changed = self.known(subscription);
        changed.period_start = changed.period_end;
        changed.period_end = a_month_after(changed.period_end);
        changed.latest_invoice = invoice;
        status.clone_into(&mut changed.status);
    }

    /// Completes a session; tells the new subscription's id.
    fn complete(&mut self, session: &str, status: &str) -> String {
        let now = self.now();
        let [new_customer, id, item, latest_invoice] =
            ["cus", "sub", "si", "in"].map(|kind| self.new_id(kind));
        let session = self.open(session);
        let customer = session.customer.get_or_insert(new_customer).clone();
        let subscription = Subscription {
            id: id.clone(),
            item,
            customer: customer.clone(),
            created: now,
            status: status.to_owned(),
            metadata: session.subscription_metadata.clone(),
            period_start: now,
            period_end: a_month_after(now),
            cancel_at_period_end: false,
            canceled_at: None,
            ended_at: None,
            latest_invoice,
        };
        session.is_complete = true;
        session.subscription = Some(id.clone());
        session.invoice = Some(subscription.latest_invoice.clone());
        self.customers.insert(customer);
        self.subscriptions.insert(id.clone(), subscription);
        id
    }
}
