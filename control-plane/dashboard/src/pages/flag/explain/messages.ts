import { basisPoints, list, moment, number, plural, sentence } from '../../../messages/format';
import { history } from '../history/messages';
import type { Compared } from './compared';
import type { AttributeType, Context, Problem } from './context';
import type { Deciding } from './deciding';
import type { Mark } from './marks';

const TYPES: Record<AttributeType, string> = {
  text: 'Text',
  number: 'Number',
  boolean: 'True or false',
  json: 'JSON',
};

const PROBLEMS: Record<Problem, string> = {
  json: 'This is not JSON.',
  object: 'A context is a JSON object: { "key": "…", "attributes": { … } }.',
  number: 'This is not a number.',
  boolean: 'This is neither true nor false.',
  twice: 'Another attribute has this name.',
  unnamed: 'Give the attribute a name.',
  precision:
    'A browser cannot hold so large a number exactly. Give it as text: the service compares it as the same number.',
};

const REASONS: Record<string, string> = {
  TARGETED: 'A rule serves everyone that it matches.',
  ROLLOUT: 'A percentage lets this user in.',
  VARIANT: 'A variant was drawn.',
  FALLTHROUGH: 'Nothing more specific decided.',
  DISABLED: 'The flag is off.',
  MUTUALLY_EXCLUDED: 'Another flag of its exclusion group won.',
  PREREQUISITE_FAILED: 'A prerequisite is not on for this user.',
  ERROR: 'The value could not be served.',
  NOT_FOUND: 'There is no such flag.',
};

const STEPS: Record<string, string> = {
  flag_exists: 'Flag',
  enabled: 'On or off',
  mutual_exclusion: 'Exclusion group',
  prerequisites: 'Prerequisites',
  rules: 'Rules',
  percentage_rollout: 'Rollout',
  variants: 'Variants',
  served_value: 'Value for everyone else',
};

const COMPARED: Record<Compared, string> = {
  same: 'the same answer for the same reason',
  reason: 'the same value for another reason',
  different: 'another answer',
};

const DECIDED: Record<string, string> = {
  flag_exists: 'There is no such flag.',
  enabled: 'The flag is off here.',
  percentage_rollout: 'The rollout leaves this user out.',
  served_value: 'No rule matches this user, who gets what everyone else gets.',
};

function ruleName(place: number, description: string): string {
  return description === '' ? `rule ${number(place + 1)}` : `rule ${number(place + 1)}, “${description}”`;
}

function deciding(of: Deciding, reason: string, detail: string): string {
  switch (of.by) {
    case 'rule':
      return sentence(
        `${ruleName(of.place, of.description)}${of.description === '' ? '' : ','} matches${reason === 'ROLLOUT' ? ', and its rollout lets this user in' : ''}`,
      );
    case 'mutex':
      return of.winner === null
        ? `No flag of the group ${of.group} won.`
        : `${of.winner} won the exclusion group ${of.group}.`;
    case 'prerequisite':
      return `It requires ${of.flagKey}, which is not on for this user.`;
    case 'variant':
      return `The variant ${of.key} was drawn.`;
    case 'step':
      if (of.step === 'served_value' && reason === 'ROLLOUT') return 'The rollout lets this user in.';
      return DECIDED[of.step] ?? sentence(detail);
    case 'error':
    case 'prerequisites':
      return sentence(detail);
  }
}

function reason(of: string): string {
  return REASONS[of] ?? of;
}

function markName(of: Mark['of']): string {
  switch (of.kind) {
    case 'rule':
      return sentence(ruleName(of.place, of.description)).slice(0, -1);
    case 'rollout':
      return 'Rollout';
    case 'variant':
      return `Variant ${of.key}`;
  }
}

const LONGEST = 60;

/** A context in one line, as in the list of recent ones. */
function summary({ key, attributes }: Context): string {
  const text = [
    key,
    ...Object.entries(attributes ?? {}).map(([name, value]) => `${name} ${shown(value)}`),
  ].join(', ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The service's sentence about the context, which begins with a place in what it was asked. */
function refused(message: string): string {
  return sentence(message.replace(/^context\.(?=key|attributes)/, ''));
}

/** The text of the explain tab. */
export const explainWords = {
  context: () => 'User',
  contextText: () => 'The answer updates as you type. Explaining changes nothing and is not counted.',
  view: () => 'How to write the context',
  form: () => 'Form',
  json: () => 'JSON',
  key: () => 'Key',
  keyText: () => 'The user’s ID, called the context key in the API. It decides the buckets.',
  attributes: () => 'Attributes',
  attributesText: () => 'One without a value is left out.',
  attribute: (place: number) => `Attribute ${number(place + 1)}`,
  name: () => 'Name',
  type: () => 'Type',
  typeName: (type: AttributeType) => TYPES[type],
  value: () => 'Value',
  isTrue: () => 'true',
  isFalse: () => 'false',
  add: () => 'Add an attribute',
  addKnown: (names: readonly string[]) =>
    names.length <= 3
      ? `Add the attributes in the rules: ${list(names)}`
      : `Add the ${number(names.length)} attributes in the rules`,
  remove: (name: string) => (name === '' ? 'Remove the attribute' : `Remove ${name}`),
  contextJson: () => 'Context as JSON',
  contextJsonText: () => 'An object with key and attributes.',
  notForForm: () => 'The form cannot show this JSON. Correct it first.',
  problem: (of: Problem) => PROBLEMS[of],
  recent: (count: number) => `Recent contexts (${number(count)})`,
  liveFor: (context: Context) => `For ${summary(context)}:`,
  live: (from: unknown, to: unknown) => `${JSON.stringify(from)} → ${JSON.stringify(to)}`,
  liveSame: (value: unknown) => `${JSON.stringify(value)}, as before`,
  liveWhy: () => 'Explain this',
  recentText: () => 'The last ten contexts are kept in this tab until you sign out.',
  clearRecent: () => 'Forget them',
  summary,
  copyLink: () => 'Copy a link to this',
  copyLinkText: () => 'The link carries the context behind its #, which no server sees.',
  version: () => 'Version to explain',
  now: () => 'Current version',
  versionName: (version: number) => `Version ${number(version)}`,
  versionItem: (version: number, iso: string, who: string | null, changed: readonly string[]) => {
    const what = changed.length === 0 || changed.length > 3 ? '' : `: ${history.fields(changed)}`;
    return `Version ${number(version)}, ${moment(iso, Date.now())}${who === null ? '' : `, ${who}`}${what}`;
  },
  older: () => 'Show older versions',
  answer: () => 'Answer',
  answers: () => 'Answers',
  stored: () => 'Stored',
  storedText: () => 'What the edges serve',
  draft: () => 'Your draft',
  draftText: () => 'Not saved yet',
  past: (version: number) => `Version ${number(version)}`,
  pastText: () => 'The flag as it was; segments and other flags as they are now',
  drafted: (how: Compared) => `Your draft gives this user ${COMPARED[how]}.`,
  gaveThen: (how: Compared, version: number) => `Version ${number(version)} gave this user ${COMPARED[how]}.`,
  retry: () => 'Ask again',
  behind: () => 'The context cannot be read yet. The answer is to what was there before.',
  working: () => 'Asking…',
  variant: (key: string) => `Variant ${key}`,
  deciding,
  refused,
  steps: () => 'Steps',
  stepName: (step: string) => STEPS[step] ?? step,
  passed: () => 'Passed',
  decided: () => 'Decided',
  stepDetail: (detail: string) => sentence(detail),
  rules: () => 'Rules that were tried',
  ruleTitle: (place: number, description: string) => sentence(ruleName(place, description)).slice(0, -1),
  serves: () => 'Matches and serves',
  notAdmitted: () => 'Matches, but its rollout leaves this user out',
  noMatch: () => 'Does not match',
  everyone: () => 'No conditions: it matches everyone.',
  all: () => 'All of these have to hold:',
  any: () => 'One of these has to hold:',
  holds: () => 'Holds',
  fails: () => 'Does not hold',
  seen: (value: unknown) => `Seen: ${JSON.stringify(value)}`,
  missing: () => 'Attribute missing',
  segment: (key: string) => `in the segment ${key}`,
  segmentGone: () => 'There is no such segment',
  anySegment: () => 'In any of these segments:',
  buckets: () => 'Buckets',
  lineName: (kind: 'rollout' | 'variant') => (kind === 'rollout' ? 'Rollout' : 'Variants'),
  lineText: (kind: 'rollout' | 'variant') =>
    kind === 'rollout'
      ? 'A percentage lets in every bucket below it. All percentages of a flag use the same bucket.'
      : 'The weights divide the line; the bucket falls into one variant.',
  bucket: (bucket: number) => `Bucket ${number(bucket)} of 10,000`,
  markName,
  mark: (of: Mark['of'], at: number) => `${markName(of)}: below ${number(at)} (${basisPoints(at)})`,
  letsIn: () => 'lets it in',
  leavesOut: () => 'leaves it out',
  drawn: () => 'drawn',
  notDrawn: () => 'not drawn',
  noMarks: () => 'No percentage below 100% applies.',
  mutex: () => 'Exclusion group',
  mutexText: (group: string, members: readonly string[]) =>
    `Of the ${plural(members.length, 'flag', 'flags')} of ${group} that are on, the one with the lowest bucket for this key wins.`,
  mutexBucket: (bucket: number) => `The bucket of this flag is ${number(bucket)}.`,
  winner: () => 'won',
  loser: () => 'lost',
  prerequisites: () => 'Prerequisites',
  met: () => 'Met',
  unmet: () => 'Not met',
  gave: (value: unknown, of: string) => `It gives ${JSON.stringify(value)}. ${reason(of)}`,
  warnings: () => 'This may not mean what you think:',
  warning: (place: string, message: string) => `${place}: ${message}`,
};
