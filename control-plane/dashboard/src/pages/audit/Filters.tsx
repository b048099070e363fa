import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { environmentsQuery } from '../../frame/environments';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { TextField } from '../../ui/Field';
import { type Choice, SearchField, Select } from '../../ui/Select';
import { usePaused } from '../../ui/usePaused';
import styles from './Audit.module.css';
import {
  actionChoice,
  actionFilter,
  dayToIso,
  fromOf,
  isoToDay,
  type Range,
  rangeOf,
  setFilters,
} from './filters';
import { audit } from './messages';
import { actionsQuery, type Filter, peopleQuery } from './queries';

const ANY = 'any';
const PAUSE_MS = 300;

interface FiltersProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  /** Of the person whose entries are shown, if there are any. */
  actorName: string | undefined;
}

/** What is looked for. All of it is in the address. */
export function Filters({ filter, onChange, actorName }: FiltersProps) {
  const set = (changed: Partial<Record<keyof Filter, string | undefined>>) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...filter, ...changed }).filter(([, value]) => value !== undefined && value !== ''),
      ),
    );
  return (
    <search className="stack close" aria-label={audit.search()}>
      <Search text={filter.q ?? ''} onChange={q => set({ q })} />
      <div className={styles.filters}>
        <Project filter={filter} set={set} />
        <Person filter={filter} set={set} actorName={actorName} />
        <Action filter={filter} set={set} />
        <Time filter={filter} set={set} />
      </div>
      <div className="row">
        {filter.resource_id === undefined ? null : (
          <Button onPress={() => set({ resource_id: undefined })}>{audit.drop('resource_id')}</Button>
        )}
        {setFilters(filter).length > 1 ? (
          <Button look="quiet" onPress={() => onChange({})}>
            {audit.clear()}
          </Button>
        ) : null}
      </div>
    </search>
  );
}

/** Asks once typing pauses. */
function Search({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const paused = usePaused(typed, PAUSE_MS);
  const ask = useEffectEvent((next: string) => {
    if (next.trim() !== text) onChange(next.trim());
  });
  useEffect(() => ask(paused), [paused]);
  useEffect(() => setTyped(text), [text]);
  return <SearchField id="search" label={audit.search()} value={typed} onChange={setTyped} />;
}

interface FilterProps {
  filter: Filter;
  set: (changed: Partial<Record<keyof Filter, string | undefined>>) => void;
}

function Project({ filter, set }: FilterProps) {
  const { projects, permissions } = useMe();
  const { project_id, env_id } = filter;
  // With a single project there is nothing to choose before its environments.
  const chosen = project_id ?? (projects.length === 1 ? projects[0]?.id : undefined);
  const environments = useQuery({
    ...environmentsQuery(chosen ?? ''),
    enabled: projects.some(({ id }) => id === chosen) && permissions.includes('environments.read'),
  }).data?.data;
  return (
    <>
      <Select
        label={audit.project()}
        choices={withUnknown(
          [{ id: ANY, label: audit.anyProject() }, ...projects.map(({ id, name }) => ({ id, label: name }))],
          project_id,
          audit.oneThing(),
        )}
        value={project_id ?? ANY}
        onChange={id => set({ project_id: id === ANY ? undefined : id, env_id: undefined })}
      />
      {environments === undefined && env_id === undefined ? null : (
        <Select
          label={audit.environment()}
          choices={withUnknown(
            [
              { id: ANY, label: audit.anyEnvironment() },
              ...(environments ?? []).map(({ id, name }) => ({ id, label: name })),
            ],
            env_id,
            audit.oneThing(),
          )}
          value={env_id ?? ANY}
          onChange={id => set(id === ANY ? { env_id: undefined } : { project_id: chosen, env_id: id })}
        />
      )}
    </>
  );
}

function Person({ filter, set, actorName }: FilterProps & { actorName: string | undefined }) {
  const mayRead = useMe().permissions.includes('members.read');
  const people = useQuery({ ...peopleQuery, enabled: mayRead }).data ?? [];
  return (
    <Select
      label={audit.person()}
      choices={withUnknown(
        [
          { id: ANY, label: audit.anyPerson() },
          ...people.map(({ id, name, email }) => ({ id, label: name || (email ?? id) })),
        ],
        filter.actor_id,
        actorName ?? audit.otherPerson(),
      )}
      value={filter.actor_id ?? ANY}
      onChange={id => set({ actor_id: id === ANY ? undefined : id })}
    />
  );
}

function Action({ filter, set }: FilterProps) {
  const actions = useQuery(actionsQuery).data?.data ?? [];
  const types = [...new Set(actions.map(({ resource_type }) => resource_type))];
  const choice = actionChoice(filter);
  const choices: Choice[] = [
    { id: ANY, label: audit.anyAction() },
    ...types.flatMap(type => [
      { id: `${type}.*`, label: audit.allOf(type) },
      ...actions
        .filter(({ resource_type }) => resource_type === type)
        .map(({ action }) => ({ id: action, label: audit.actionName(action) })),
    ]),
  ];
  return (
    <Select
      label={audit.action()}
      choices={withUnknown(choices, choice, choice)}
      value={choice}
      onChange={id => set({ action: undefined, resource_type: undefined, ...actionFilter(id) })}
    />
  );
}

function Time({ filter, set }: FilterProps) {
  const [isCustom, setCustom] = useState(false);
  const range = isCustom ? 'custom' : rangeOf(filter, Date.now());
  const choose = (next: Range) => {
    setCustom(next === 'custom');
    if (next !== 'custom') set({ from: fromOf(next, Date.now()), to: undefined });
  };
  return (
    <>
      <Select
        label={audit.time()}
        choices={Object.entries(audit.times).map(([id, label]) => ({ id, label }))}
        value={range}
        onChange={id => choose(id as Range)}
      />
      {range === 'custom' ? (
        <>
          <TextField
            type="date"
            label={audit.start()}
            value={isoToDay(filter.from, false)}
            onChange={day => set({ from: dayToIso(day, false) })}
          />
          <TextField
            type="date"
            label={audit.end()}
            value={isoToDay(filter.to, true)}
            onChange={day => set({ to: dayToIso(day, true) })}
          />
        </>
      ) : null}
    </>
  );
}

/** The choices, with one for a value of the address that is not among them. */
function withUnknown(choices: Choice[], value: string | undefined, label: string): Choice[] {
  return value === undefined || choices.some(({ id }) => id === value)
    ? choices
    : [...choices, { id: value, label }];
}
