import { date, number } from '../../messages/format';

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
  trialEnds: (iso: string) => `Trial, until ${date(iso)}`,
  status: () => 'Subscription',
  statusName: (status: string) => STATUSES[status] ?? status,
  renews: () => 'Paid until',
  ends: () => 'Ends on',
  date: (iso: string) => date(iso),
  usageTitle: () => 'Usage',
  seats: () => 'Members',
  projects: () => 'Projects',
  environments: () => 'Environments',
  used: (used: number, limit: number) =>
    limit < 0 ? `${number(used)}, without a limit` : `${number(used)} of ${number(limit)}`,
  usedPerProject: (used: number, limit: number) =>
    limit < 0 ? `${number(used)}, without a limit` : `${number(used)}, at most ${number(limit)} a project`,
  offer: (price: string, period: string) => `Pro costs ${price} a ${period}.`,
  pay: () => 'Get Pro',
  portal: () => 'Payment method and invoices',
  cancel: () => 'Cancel the subscription',
  cancelTitle: () => 'Cancel the subscription?',
  cancelText: () =>
    'The plan stays until the end of the period that is paid. After that the organization is on the Free plan: nothing is deleted, and flags are served as before.',
  canceled: () => 'The subscription is canceled. The plan stays until the end of the period.',
};
