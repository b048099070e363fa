/** The text of what every page has, those before sign-in too. */

import { clock } from './format';

const common = {
  product: () => 'Halyard',
  working: () => 'Working',
  loading: () => 'Loading',
  cancel: () => 'Cancel',
  close: () => 'Close',
  back: () => 'Back',
  retry: () => 'Try again',
  reload: () => 'Reload',
  copied: () => 'Copied',
  copyFailed: () => 'The browser did not allow copying. Select the text and copy it by hand.',
  notifications: () => 'Notifications',
  pageTitle: (page: string) => `${page} · Halyard`,
};

const field = {
  showPassword: () => 'Show password',
  hidePassword: () => 'Hide password',
  clearSearch: () => 'Clear search',
};

const refusal = {
  fault: (status: number) => `The service could not answer (status ${status}).`,
  requestId: (id: string) => `Request ${id}`,
  offline: () => 'The service cannot be reached. Check the connection, then try again.',
  tryIn: (seconds: number) => `You can try again in ${clock(seconds)}.`,
  forbiddenTitle: () => 'You may not open this',
  absentTitle: () => 'Nothing here',
  absent: () => 'It was deleted, never existed, or belongs to another organization.',
  faultTitle: () => 'That did not work',
  toStart: () => 'Go to the start',
};

const page = {
  staleTitle: () => 'A new version is here',
  stale: () => 'Halyard was updated since this page was opened. Reload it to go on.',
  unloadedTitle: () => 'A part of this page did not arrive',
  unloaded: () => 'The service did not answer. Reload the page when it does.',
  brokenTitle: () => 'This page stopped working',
  broken: () => 'An error in the page itself. What was saved is saved.',
  notFoundTitle: () => 'There is no such page',
  notFound: () =>
    'The address leads nowhere. It may have been typed wrong, or belong to something that is gone.',
};

export const t = { common, field, refusal, page };
