/** What this browser remembers: the theme, and whether single keys work. Only contexts to explain are kept beside them. */
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const THEME = 'halyard.theme';
const KEYS = 'halyard.single-keys';
const listeners = new Set<() => void>();

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser that keeps nothing still shows what was chosen until the page is left.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function theme(): Theme {
  const stored = read(THEME);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Puts the theme on the document; `system` leaves the choice to the browser. */
export function applyTheme(chosen: Theme = theme()): void {
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, theme), setTheme];
}

function setTheme(chosen: Theme): void {
  write(THEME, chosen);
  applyTheme(chosen);
}

export function areSingleKeysOn(): boolean {
  return read(KEYS) !== 'off';
}

export function useSingleKeys(): [boolean, (on: boolean) => void] {
  const on = useSyncExternalStore(subscribe, areSingleKeysOn);
  return [on, next => write(KEYS, next ? 'on' : 'off')];
}
