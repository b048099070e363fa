import type { BulkAction as AnyAction } from '../../../flagState/editFlags';
import { number, plural } from '../../../messages/format';

const flags = (count: number) => plural(count, 'flag', 'flags');

/** Those that the table of flags has. */
export type BulkAction = Exclude<AnyAction, 'restore'>;

const BUTTONS: Record<BulkAction, string> = {
  enable: 'Turn on…',
  disable: 'Turn off…',
  promote: 'Promote…',
  tag: 'Add a tag…',
  untag: 'Remove a tag…',
  archive: 'Archive…',
};

const TITLES: Record<BulkAction, (count: number) => string> = {
  enable: count => `Turn on ${flags(count)}`,
  disable: count => `Turn off ${flags(count)}`,
  promote: count => `Promote ${flags(count)}`,
  tag: count => `Add a tag to ${flags(count)}`,
  untag: count => `Remove a tag from ${flags(count)}`,
  archive: count => `Archive ${flags(count)}`,
};

const DONE: Record<BulkAction, string> = {
  enable: 'Turned on',
  disable: 'Turned off',
  promote: 'Promoted',
  tag: 'Tagged',
  untag: 'Removed the tag from',
  archive: 'Archived',
};

export const bulk = {
  label: () => 'Selected flags',
  selected: (count: number) => `${number(count)} selected`,
  clear: () => 'Clear selection',
  button: (action: BulkAction) => BUTTONS[action],
  title: (action: BulkAction, count: number) => TITLES[action](count),
  environment: () => 'Environment',
  source: () => 'From',
  target: () => 'To',
  tag: () => 'Tag',
  variants: () => 'Copy variants too',
  promoteText: () =>
    'Copies the switch, default value, rules and rollout of each flag. Schedules of the target stay as they are.',
  archiveText: () =>
    'Archived flags are no longer served: your apps get their fallback values. You can restore them at any time.',
  already: (count: number) => `${flags(count)} will not change: they are like that already.`,
  production: (name: string) => `This changes what users of ${name} get.`,
  protected: (name: string) =>
    `${name} is protected: each of these changes needs approval. Open a flag and request approval there.`,
  needsTwo: () => 'Choose two different environments.',
  confirm: (action: BulkAction, count: number) => TITLES[action](count),
  progress: (done: number, all: number) => `${number(done)} of ${number(all)} done`,
  done: (action: BulkAction, count: number) => `${DONE[action]} ${flags(count)}.`,
  undo: () => 'Undo',
  undoMade: (count: number) => `Undo the ${number(count)} that changed`,
  undone: (count: number) => `Undid the change of ${flags(count)}.`,
  undoFailed: (count: number) =>
    `${flags(count)} could not be changed back. Open their history to restore an earlier version.`,
  close: () => 'Close',
};

export const confirmSwitch = {
  title: (flag: string, environment: string, enabled: boolean) =>
    `Turn ${enabled ? 'on' : 'off'} ${flag} in ${environment}?`,
  text: (environment: string, enabled: boolean) =>
    enabled
      ? `Users of ${environment} get what its rules serve as soon as the edges have the change.`
      : `Users of ${environment} get the default value as soon as the edges have the change.`,
  state: (words: readonly string[]) => `Set there: ${words.join(' · ')}`,
  protected: (environment: string) =>
    `${environment} is protected. Another member has to approve this change before it takes effect.`,
  confirm: (environment: string, enabled: boolean) => `Turn ${enabled ? 'on' : 'off'} in ${environment}`,
  request: () => 'Request approval',
  requested: (flag: string, environment: string) => `Requested approval for ${flag} in ${environment}.`,
  openRequest: () => 'Open request',
};
