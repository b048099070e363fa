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
  toStart: () => 'Go to the start page',
};

const page = {
  staleTitle: () => 'A new version is available',
  stale: () => 'Halyard was updated after this page was opened. Reload the page to continue.',
  staleLater: () => 'A new version is available. Reload when you are done; unsaved changes would be lost.',
  unloadedTitle: () => 'A part of this page could not be loaded',
  unloaded: () => 'The service did not answer. Reload the page when the connection is back.',
  partTitle: () => 'This could not be loaded',
  part: () => 'The service did not answer. Your changes are kept. Check the connection, then try again.',
  partStale: () =>
    'It belongs to a version of Halyard that was replaced. Save your changes, then reload the page.',
  brokenTitle: () => 'This page stopped working',
  broken: () => 'Something went wrong on this page. Everything you saved is safe.',
  insecure: () =>
    'This address is neither HTTPS nor localhost, so the browser cannot keep you signed in: reloading the page signs you out.',
  notFoundTitle: () => 'Page not found',
  notFound: () => 'Check the address for typing errors. The page may have been deleted.',
};

export const t = { common, field, refusal, page };
