import { date, number, plural } from '../../messages/format';
import type { Gateway } from './queries';
import type { Checkout } from './standing';

const PLANS: Record<string, string> = { trial: 'Trial', free: 'Free', pro: 'Pro', enterprise: 'Enterprise' };
const STATUSES: Record<string, string> = {
  active: 'Active',
  past_due: 'The last payment did not go through',
  canceled: 'Canceled',
  none: 'None',
};

export const billing = {
  title: () => 'Billing',
  paid: () => 'The payment went through.',
  paidText: () =>
    'The plan changes as soon as the payment gateway confirms it, which this page shows by itself.',
  paidActive: () => 'The payment went through, and the plan is active.',
  failed: () => 'The payment did not go through.',
  failedText: () => 'The plan is as it was. You can try again.',
  planTitle: () => 'Plan',
  plan: () => 'Plan',
  planName: (plan: string) => PLANS[plan] ?? plan,
  trial: () => 'All Pro features for 14 days. No credit card needed.',
  trialEnds: (iso: string, days: number) =>
    days === 0
      ? `Your trial ends today, ${date(iso)}.`
      : `Your trial ends in ${plural(days, 'day', 'days')}, on ${date(iso)}.`,
  afterTrial: () =>
    'If you do not upgrade, the organization then moves to the Free plan. Nothing is deleted, and flags are served as before.',
  given: () => 'This plan was set by the operator of this installation.',
  status: () => 'Subscription',
  statusName: (status: string) => STATUSES[status] ?? status,
  paidVia: () => 'Payment',
  renews: () => 'Renews on',
  paidUntil: () => 'Paid until',
  ends: () => 'Ends on',
  date: (iso: string) => date(iso),
  overdue: () => 'The last payment did not go through.',
  overdueManaged: () =>
    'Update the payment method. If no payment arrives, the organization moves to the Free plan.',
  overdueForm: () => 'Pay for another month. If no payment arrives, the organization moves to the Free plan.',
  endsSoon: (iso: string) =>
    `The subscription is canceled. The plan stays until ${date(iso)}; then the organization is on the Free plan.`,
  oneMonth: () =>
    'One payment is for one month. When the month is over, you get a mail and can pay again here.',

  usageTitle: () => 'Usage',
  seats: () => 'Members',
  projects: () => 'Projects',
  environments: () => 'Environments',
  used: (used: number, limit: number) =>
    limit < 0 ? `${number(used)}, no limit` : `${number(used)} of ${number(limit)}`,
  usedPerProject: (used: number, limit: number) =>
    limit < 0 ? `${number(used)}, no limit` : `${number(used)}, at most ${number(limit)} a project`,
  left: (left: number) => `${number(left)} left`,
  reached: () => 'Limit reached',
  nearText: (names: string) => `You are close to the limit of your plan: ${names}.`,
  reachedText: (names: string) => `You have reached the limit of your plan: ${names}.`,
  moreWithPro: () => 'Pro has no limit on members, projects and environments.',

  gateway: () => 'Payment',
  gatewayName: (gateway: Gateway) => (gateway === 'gateway_form' ? 'One month at a time' : 'Subscription'),
  gatewayText: (gateway: Gateway) =>
    gateway === 'gateway_form'
      ? 'Pay for one month at the payment gateway. It does not renew.'
      : 'Renews every month until you cancel. You can change the payment method at any time.',
  offer: (price: string, period: string) => `Pro costs ${price} a ${period}.`,
  pay: (why: Exclude<Checkout, null>) =>
    why === 'first' ? 'Get Pro' : why === 'again' ? 'Get Pro again' : 'Pay for another month',
  leaving: () => 'You leave this page for the payment gateway, and come back when you have paid.',
  portal: () => 'Payment method and invoices',
  cancel: () => 'Cancel the subscription',
  cancelTitle: () => 'Cancel the subscription?',
  cancelWhen: () => 'When',
  cancelAtEnd: () => 'At the end of the period',
  cancelAtEndText: (iso: string | null) =>
    iso === null
      ? 'The plan stays until the end of the period that is paid.'
      : `The plan stays until ${date(iso)}.`,
  cancelNow: () => 'Now',
  cancelNowAction: () => 'Cancel immediately',
  cancelNowText: () => 'The plan ends right away, and the rest of the period is not refunded.',
  cancelText: () =>
    'After that the organization is on the Free plan: nothing is deleted, and flags are served as before. You cannot add members, projects or environments above its limits.',
  canceled: () => 'The subscription is canceled. The plan stays until the end of the period.',
  canceledNow: () => 'The subscription is canceled.',

  plans: () => 'Plans',
  current: () => 'Your plan',
  trying: () => 'Your trial has all of this',
  price: (price: string, period: string | undefined) =>
    period === undefined ? price : `${price} a ${period}`,
  contact: () => 'Ask the operator of this installation for Enterprise.',
};
