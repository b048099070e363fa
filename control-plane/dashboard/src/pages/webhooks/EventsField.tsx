import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Radios } from '../../parts/Radios';
import { Skeleton } from '../../ui/Feedback';
import { areasOf, includes, isEverything, toggleArea, toggleType, wildcard } from './events';
import { webhooks as words } from './messages';
import { eventTypesQuery } from './queries';
import styles from './Webhooks.module.css';

interface EventsFieldProps {
  /** `null` while single events are to be chosen and none is. */
  events: readonly string[] | null;
  onChange: (events: string[] | null) => void;
}

/** Everything, or areas and types with what they mean. */
export function EventsField({ events, onChange }: EventsFieldProps) {
  const { data } = useQuery(eventTypesQuery);
  const isAll = events !== null && isEverything(events);
  const chosen = events === null || isAll ? [] : events;
  const choose = (next: string[]) => onChange(next.length === 0 ? null : next);
  return (
    <>
      <Radios
        label={words.which()}
        choices={[
          { id: 'all', label: words.allEvents(), hint: words.allEventsText() },
          { id: 'some', label: words.someEvents(), hint: words.someEventsText() },
        ]}
        value={isAll ? 'all' : 'some'}
        onChange={choice => onChange(choice === 'all' ? ['*'] : null)}
      />
      {isAll ? null : data === undefined ? (
        <Skeleton height="12rem" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <section className={styles.areas} aria-label={words.events()} tabIndex={0}>
          {areasOf(data.data).map(area => {
            const isWhole = chosen.includes(wildcard(area.name));
            return (
              <fieldset key={area.name}>
                <legend>{words.areaName(area.name)}</legend>
                <Check isOn={isWhole} onChange={() => choose(toggleArea(chosen, area))}>
                  {words.areaAll(area.name)}
                </Check>
                {area.types.map(({ type, description }) => (
                  <Check
                    key={type}
                    isOn={includes(chosen, type)}
                    onChange={() => choose(toggleType(chosen, area, type))}
                  >
                    <code>{type}</code>
                    <span className="soft small">{description}</span>
                  </Check>
                ))}
              </fieldset>
            );
          })}
        </section>
      )}
    </>
  );
}

interface CheckProps {
  isOn: boolean;
  onChange: () => void;
  children: ReactNode;
}

function Check({ isOn, onChange, children }: CheckProps) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={isOn} onChange={onChange} />
      <span>{children}</span>
    </label>
  );
}
