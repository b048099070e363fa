import { Check } from 'lucide-react';
import { useRef } from 'react';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import menu from '../../ui/Menu.module.css';
import { COLUMNS, chooseColumns, useColumns } from './columns';
import { flagsPage } from './messages';

/** Chooses the columns after the environments. */
export default function ColumnsMenu({ button, onClose }: { button: HTMLElement; onClose: () => void }) {
  const trigger = useRef<HTMLElement>(button);
  const chosen = useColumns();
  return (
    <Popover
      triggerRef={trigger}
      aria-label={flagsPage.columns()}
      className={menu.popover}
      placement="bottom end"
      isOpen
      onOpenChange={isOpen => isOpen || onClose()}
    >
      <Menu
        className={menu.list}
        aria-label={flagsPage.columns()}
        autoFocus="first"
        selectionMode="multiple"
        selectedKeys={chosen}
        onSelectionChange={keys =>
          chooseColumns(COLUMNS.filter(column => keys === 'all' || keys.has(column)))
        }
      >
        {COLUMNS.map(column => (
          <MenuItem key={column} id={column} textValue={flagsPage.column(column)} className={menu.item}>
            {({ isSelected }) => (
              <>
                <span className={menu.mark}>{isSelected ? <Check size={16} aria-hidden /> : null}</span>
                <span className={menu.name}>{flagsPage.column(column)}</span>
              </>
            )}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  );
}
