/** Where things are, as `./dev dashboard test` says it. */
function given(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '')
    throw new Error(`${name} is not set: ./dev dashboard test sets it`);
  return value;
}

export const place = {
  /** The control plane with the dashboard. */
  api: given('HALYARD_URL'),
  /** A separate edge, joined by certificate. */
  edge: given('HALYARD_EDGE_URL'),
  /** A file a mail. */
  mail: given('HALYARD_MAIL_DIR'),
  /** The address of the name server that the service asks: where a test may listen. */
  nameServer: given('SIGN_IN_DNS_SERVERS'),
  programs: given('HALYARD_BIN_DIR'),
  chromium: given('CHROMIUM'),
  /** A build with longer texts. */
  longTexts: given('HALYARD_LONG_TEXTS'),
  results: given('HALYARD_BROWSER_RESULTS'),
  /** Whether each page is kept as a picture, and the trace of what fails, among the results. */
  pictures: process.env.HALYARD_PICTURES === '1',
};
