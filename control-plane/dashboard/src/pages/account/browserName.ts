/** A user agent in words that a person knows. What is not a browser is named by its first word: `curl`, `halyard-cli`. */
export interface Program {
  browser: string;
  system: string | null;
}

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

export function readProgram(userAgent: string | null): Program | null {
  const text = userAgent?.trim() ?? '';
  if (text === '') return null;
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  if (browser === undefined) return { browser: text.split(/[/\s]/)[0] ?? text, system: null };
  return { browser, system: SYSTEMS.find(([pattern]) => pattern.test(text))?.[1] ?? null };
}
