import { Search, X } from 'lucide-react';
import { useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Button } from 'react-aria-components/Button';
import { Group } from 'react-aria-components/Group';
import { Header } from 'react-aria-components/Header';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuItem, MenuSection } from 'react-aria-components/Menu';
import { SearchField } from 'react-aria-components/SearchField';
import { type Section, useAllCommands } from '../frame/commands';
import { t } from '../messages/en';
import { find } from '../messages/find';
import { Dialog } from '../ui/Dialog';
import field from '../ui/Field.module.css';
import menu from '../ui/Menu.module.css';
import styles from './Palette.module.css';
import { type FoundCommand, useFound } from './useFound';
import { matches } from './words';

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

/** Everything that can be reached or done from here, found by typing a part of its name. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands();
  const [typed, setTyped] = useState('');
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
  return (
    <Dialog title={t.palette.title()} isOpen onClose={onClose}>
      <div className={styles.results}>
        <Autocomplete inputValue={typed} onInputChange={setTyped}>
          <SearchField aria-label={t.palette.title()} autoFocus className={`${field.field} ${styles.search}`}>
            <Group className={field.box}>
              <Search size={16} aria-hidden className={field.leading} />
              <Input className={field.input} placeholder={t.palette.placeholder()} />
              {typed === '' ? null : (
                <Button className={field.inside} aria-label={t.field.clearSearch()}>
                  <X size={16} aria-hidden />
                </Button>
              )}
            </Group>
          </SearchField>
          <p className="hidden" role="status">
            {typed === '' ? '' : find.count(all.length)}
          </p>
          <Menu
            aria-label={t.palette.title()}
            onAction={key => {
              onClose();
              all.find(command => command.id === key)?.run();
            }}
            renderEmptyState={() => <p className="soft">{t.palette.none()}</p>}
          >
            {groups.map(({ id, title, items }) => (
              <MenuSection key={id}>
                <Header className={menu.heading}>{title}</Header>
                {items.map(command => (
                  <MenuItem key={command.id} id={command.id} textValue={command.title} className={menu.item}>
                    <span className={menu.name}>{command.title}</span>
                    {command.hint === undefined ? null : <span className={menu.hint}>{command.hint}</span>}
                    {command.keys === undefined ? null : <kbd className={menu.hint}>{command.keys}</kbd>}
                  </MenuItem>
                ))}
              </MenuSection>
            ))}
          </Menu>
        </Autocomplete>
      </div>
      <p className="soft small">{find.hintOfActions()}</p>
    </Dialog>
  );
}
