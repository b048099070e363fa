import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components/Tabs';
import styles from './Tabs.module.css';

interface TabsProps {
  label: string;
  tabs: readonly { id: string; label: string; content: ReactNode }[];
  value: string;
  /** List and panel are laid out with what is beside them. */
  isInline?: boolean;
  onChange: (id: string) => void;
}

/** Scrolls the open tab into view, once it is there: the tabs of a page are drawn after their list. */
function reveal(tab: HTMLElement | null): void {
  const line = tab?.parentElement;
  if (!tab || !line) return;
  const [open, around] = [tab.getBoundingClientRect(), line.getBoundingClientRect()];
  line.scrollLeft += open.left + open.width / 2 - around.left - around.width / 2;
}

/** Which tab is open belongs to the page's address, so the page holds it. */
export function Tabs({ label, tabs, value, isInline = false, onChange }: TabsProps) {
  return (
    <AriaTabs
      className={isInline ? styles.inline : styles.tabs}
      selectedKey={value}
      onSelectionChange={key => onChange(String(key))}
    >
      <TabList aria-label={label} className={styles.list}>
        {tabs.map(tab => (
          <Tab key={tab.id} id={tab.id} className={styles.tab} ref={tab.id === value ? reveal : null}>
            {tab.label}
          </Tab>
        ))}
      </TabList>
      {tabs.map(tab => (
        <TabPanel key={tab.id} id={tab.id} className={styles.panel}>
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
