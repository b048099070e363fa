/** Text about plans, and about whom to ask. */
import { listOfAny, number, sentence } from '../messages/format';

/** People that are named; the others are counted. */
const NAMED = 3;

const PLANS: Record<string, string> = { trial: 'Trial', free: 'Free', pro: 'Pro', enterprise: 'Enterprise' };

const FEATURES: Record<string, { title: string; text: string }> = {
  mfa: {
    title: 'Two-factor authentication',
    text: 'Sign in with your password and a code from an authenticator app. A stolen password alone is not enough.',
  },
  'custom roles': {
    title: 'Custom roles',
    text: 'Allow exactly the actions you choose, where a built-in role allows too much or too little.',
  },
  scim: {
    title: 'SCIM provisioning',
    text: 'Your identity provider, such as Okta or Entra ID, adds and removes members automatically.',
  },
  'sign-in providers': {
    title: 'Sign-in by your provider',
    text: 'Members sign in by your own identity provider, such as Okta, Entra ID or Google Workspace, and only by it if you require that.',
  },
};

/** Any one of them. */
function people(names: readonly string[]): string {
  const others = names.length - NAMED;
  return listOfAny(others > 0 ? [...names.slice(0, NAMED), `${number(others)} others`] : names);
}

export const asking = {
  askOwners: (names: readonly string[]) => `Ask an owner: ${people(names)}.`,
  askAnOwner: () => 'Ask an owner of your organization.',
  askAdmins: (names: readonly string[]) => `Ask ${people(names)} to change what your role may do.`,
  askAnAdmin: () => 'An owner or admin of your organization can change what your role may do.',

  feature: (feature: string) => FEATURES[feature]?.title ?? sentence(feature),
  featureText: (feature: string) => FEATURES[feature]?.text ?? '',
  /** Which plan has it, and which one the organization has; `null` for what is not known. */
  plans: (has: string | null, own: string | null) =>
    [
      has === null ? '' : `Part of the ${PLANS[has] ?? has} plan.`,
      own === null ? '' : `Your organization has the ${PLANS[own] ?? own} plan.`,
    ]
      .filter(part => part !== '')
      .join(' '),
  planTitle: () => 'Your plan does not allow this',
  upgrade: () => 'You are an owner, so you can upgrade.',
  upgradeByOperator: () => 'The operator of this installation can move your organization to Enterprise.',
  seePlans: () => 'See plan and price',
};
