/** Preferences kept in this browser: the theme, and whether single keys work. */
import { createStored } from '../ui/createStore';

export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const storedTheme = createStored('halyard.theme');
const storedKeys = createStored('halyard.single-keys');

function themeOf(stored: string | null): Theme {
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Puts the theme on the document; `system` leaves the choice to the browser. */
export function applyTheme(chosen: Theme = themeOf(storedTheme.get())): void {
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  return [themeOf(storedTheme.use()), setTheme];
}

function setTheme(chosen: Theme): void {
  storedTheme.set(chosen);
  applyTheme(chosen);
}

export function areSingleKeysOn(): boolean {
  return storedKeys.get() !== 'off';
}

export function useSingleKeys(): [boolean, (on: boolean) => void] {
  const isOn = storedKeys.use() !== 'off';
  return [isOn, next => storedKeys.set(next ? 'on' : 'off')];
}
