import { Search, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { type Section, useAllCommands } from '../frame/commands';
import { t } from '../messages/en';
import { Dialog } from '../ui/Dialog';
import field from '../ui/Field.module.css';
import menu from '../ui/Menu.module.css';
import { find } from './messages';
import styles from './Palette.module.css';
import { type FoundCommand, useFound } from './useFound';
import { matches, moved } from './words';

const SECTIONS: readonly [Section, () => string][] = [
  ['pages', t.palette.pages],
  ['projects', t.palette.projects],
  ['actions', t.palette.actions],
];

interface Listed {
  id: string;
  title: string;
  items: readonly (FoundCommand & { keys?: string })[];
}

/**
 * Everything that can be reached or done from here, found by typing a part of its name. The focus stays in the field;
 * the arrow keys move through the list. It is our own, since the library's would be a part of the sign-in page as well.
 */
export default function Palette({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const found = useFound(typed);
  const groups: Listed[] = [
    { id: 'found', title: find.found(), items: found },
    ...SECTIONS.map(([section, title]) => ({
      id: section,
      title: title(),
      items: commands.filter(command => command.section === section && matches(command.title, typed)),
    })),
  ].filter(({ items }) => items.length > 0);
  const all = groups.flatMap(({ items }) => items);
  const active = Math.min(chosen, all.length - 1);
  const idOf = (index: number) => `${id}-${index}`;

  const activeId = active < 0 ? undefined : idOf(active);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);

  function type(text: string) {
    setTyped(text);
    setChosen(0);
  }

  function run(index: number) {
    const command = all[index];
    if (command === undefined) return;
    onClose();
    command.run();
  }

  function press(event: KeyboardEvent) {
    // Enter that ends a word of an input method is no choice.
    if (event.nativeEvent.isComposing) return;
    const next = moved(event.key, active, all.length);
    if (event.key === 'Enter') run(active);
    else if (next !== null) setChosen(next);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog title={t.palette.title()} isOpen onClose={onClose}>
      {/* What scrolls holds the field, by whose keys it is scrolled. */}
      <div className={styles.results}>
        <div className={`${field.box} ${styles.search}`}>
          <Search size={16} aria-hidden className={field.leading} />
          <input
            type="search"
            className={field.input}
            autoFocus
            aria-label={t.palette.title()}
            aria-controls={id}
            aria-activedescendant={activeId}
            autoComplete="off"
            spellCheck={false}
            placeholder={t.palette.placeholder()}
            value={typed}
            onChange={event => type(event.target.value)}
            onKeyDown={press}
          />
          {typed === '' ? null : (
            <button
              type="button"
              className={field.inside}
              aria-label={t.field.clearSearch()}
              onClick={() => type('')}
            >
              <X size={16} aria-hidden />
            </button>
          )}
        </div>
        <p className="hidden" role="status">
          {typed === '' ? '' : find.count(all.length)}
        </p>
        {all.length === 0 ? <p className="soft">{t.palette.none()}</p> : null}
        <div role="menu" id={id} aria-label={t.palette.title()}>
          {groups.map(group => (
            // biome-ignore lint/a11y/useSemanticElements: a group of menu items, not of fields
            <div key={group.id} role="group" aria-labelledby={`${id}-${group.id}`}>
              <div id={`${id}-${group.id}`} className={menu.heading} role="presentation">
                {group.title}
              </div>
              {group.items.map(command => {
                const index = all.indexOf(command);
                return (
                  // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the active item
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
                  <div
                    key={command.id}
                    id={idOf(index)}
                    role="menuitem"
                    className={menu.item}
                    data-focused={index === active || undefined}
                    data-focus-visible={index === active || undefined}
                    onMouseMove={() => setChosen(index)}
                    onClick={() => run(index)}
                  >
                    <span className={menu.name}>{command.title}</span>
                    {command.hint === undefined ? null : <span className={menu.hint}>{command.hint}</span>}
                    {command.keys === undefined ? null : <kbd className={menu.hint}>{command.keys}</kbd>}
                  </div>
                );
              })}
            </div>
          ))}
        </div>
      </div>
      <p className="soft small">{find.hintOfActions()}</p>
    </Dialog>
  );
}
