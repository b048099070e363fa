import { Search, X } from 'lucide-react';
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete';
import { Button } from 'react-aria-components/Button';
import { Group } from 'react-aria-components/Group';
import { Header } from 'react-aria-components/Header';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuItem, MenuSection } from 'react-aria-components/Menu';
import { SearchField } from 'react-aria-components/SearchField';
import { t } from '../messages/en';
import { Dialog } from '../ui/Dialog';
import field from '../ui/Field.module.css';
import menu from '../ui/Menu.module.css';
import { type Section, useAllCommands } from './commands';
import styles from './Palette.module.css';

const SECTIONS: readonly [Section, () => string][] = [
  ['pages', t.palette.pages],
  ['projects', t.palette.projects],
  ['actions', t.palette.actions],
];

/** Everything that can be reached or done from here, found by typing a part of its name. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands();
  const { contains } = useFilter({ sensitivity: 'base' });
  return (
    <Dialog title={t.palette.title()} isOpen onClose={onClose}>
      <div className={styles.results}>
        <Autocomplete filter={contains}>
          <SearchField aria-label={t.palette.title()} autoFocus className={`${field.field} ${styles.search}`}>
            <Group className={field.box}>
              <Search size={16} aria-hidden className={field.leading} />
              <Input className={field.input} placeholder={t.palette.placeholder()} />
              <Button className={field.inside} aria-label={t.field.clearSearch()}>
                <X size={16} aria-hidden />
              </Button>
            </Group>
          </SearchField>
          <Menu
            aria-label={t.palette.title()}
            onAction={key => {
              onClose();
              commands.find(command => command.id === key)?.run();
            }}
            renderEmptyState={() => <p className="soft">{t.palette.none()}</p>}
          >
            {SECTIONS.map(([section, title]) => {
              const own = commands.filter(command => command.section === section);
              if (own.length === 0) return null;
              return (
                <MenuSection key={section}>
                  <Header className={menu.heading}>{title()}</Header>
                  {own.map(command => (
                    <MenuItem
                      key={command.id}
                      id={command.id}
                      textValue={command.title}
                      className={menu.item}
                    >
                      <span className={menu.name}>{command.title}</span>
                      {command.keys === undefined ? null : <kbd className={menu.hint}>{command.keys}</kbd>}
                    </MenuItem>
                  ))}
                </MenuSection>
              );
            })}
          </Menu>
        </Autocomplete>
      </div>
    </Dialog>
  );
}
