import { type ReactNode, useEffect, useRef } from 'react';
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

/** Which tab is open belongs to the page's address, so the page holds it. */
export function Tabs({ label, tabs, value, isInline = false, onChange }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab may be out of view
  useEffect(() => {
    const line = list.current;
    const open = line?.querySelector('[aria-selected="true"]')?.getBoundingClientRect();
    if (!line || !open) return;
    const { left, width } = line.getBoundingClientRect();
    line.scrollLeft += open.left + open.width / 2 - left - width / 2;
  }, [value]);
  return (
    <AriaTabs
      className={isInline ? styles.inline : styles.tabs}
      selectedKey={value}
      onSelectionChange={key => onChange(String(key))}
    >
      <TabList ref={list} aria-label={label} className={styles.list}>
        {tabs.map(tab => (
          <Tab key={tab.id} id={tab.id} className={styles.tab}>
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
