import { useEffect } from 'react';
import { allCommands, match } from './commands';
import { areSingleKeysOn } from './preferences';

/** A sequence is given up when the next key takes longer. */
const SEQUENCE_MS = 1200;

/** Runs commands by their keys, except while something is typed or a dialog is open. */
export function useKeyboard(openPalette: () => void): void {
  useEffect(() => {
    let pressed: string[] = [];
    let last = 0;

    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
      if (!areSingleKeysOn() || isTaken(event.target)) return;
      if (event.timeStamp - last > SEQUENCE_MS) pressed = [];
      last = event.timeStamp;
      const found = match(allCommands(), [...pressed, event.key]);
      pressed = found.kind === 'more' ? [...pressed, event.key] : [];
      if (found.kind === 'none') return;
      event.preventDefault();
      if (found.kind === 'run') found.command.run();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [openPalette]);
}

/** Fields take keys as text; lists and menus take them as a search for an item. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role=dialog]') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest('input:not([role=switch],[type=checkbox]),textarea,select,[role=menu],[role=listbox]') !==
      null
  );
}
