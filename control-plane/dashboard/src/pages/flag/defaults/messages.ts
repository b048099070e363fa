import { ago, number, plural } from '../../../messages/format';

/** What apps would use without Halyard. */
export const defaults = {
  title: () => 'Without Halyard',
  text: () =>
    'What apps would use in an outage: the defaults in their code, as they told in the last seven days.',
  none: () => 'No app told its default. A hook for OpenFeature does, and so does a header of each request.',
  table: () => 'Defaults in code',
  service: () => 'App',
  unnamed: () => 'Unnamed',
  environment: () => 'Environment',
  value: () => 'Default',
  long: (digest: string) => `A long value (${digest})`,
  answers: () => 'Answers',
  same: (answers: number) => `${plural(answers, 'answer', 'answers')}, all the same`,
  differing: (differing: number, answers: number) =>
    `${number(differing)} of ${plural(answers, 'answer', 'answers')} would change`,
  disagree: () => 'Apps have different defaults for this flag.',
  told: () => 'Told',
  ago: (at: string, now: number) => ago(at, now),
  of: (left: number) => `${plural(left, 'more default', 'more defaults')} not shown.`,
};
