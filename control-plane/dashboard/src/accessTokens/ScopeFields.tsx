import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Refused } from '../api/refusal';
import { environmentsQuery } from '../frame/environments';
import { Radios } from '../parts/Radios';
import { useMe } from '../session/me';
import { EnvironmentChip } from '../ui/Chip';
import { Skeleton } from '../ui/Feedback';
import { refusalText } from '../ui/refusalText';
import { Value } from '../ui/Value';
import styles from './AccessTokens.module.css';
import { Check } from './Check';
import { accessTokens as words } from './messages';

/** `null` where nothing is limited. */
export interface Scope {
  projects: readonly string[] | null;
  environments: readonly string[] | null;
}

export const EVERYWHERE: Scope = { projects: null, environments: null };

interface ScopeFieldsProps {
  scope: Scope;
  onChange: (scope: Scope) => void;
}

/** The projects that a token reaches, and the environments of these that it changes. */
export function ScopeFields({ scope, onChange }: ScopeFieldsProps) {
  const me = useMe();
  const { projects, environments } = scope;
  const chosen = me.projects.filter(({ id }) => projects?.includes(id));
  const found = useQueries({ queries: chosen.map(({ id }) => environmentsQuery(id)) });

  function toggleProject(id: string, isOn: boolean) {
    const own = found[chosen.findIndex(project => project.id === id)]?.data?.data ?? [];
    const isLeft = (environment: string) => isOn || own.every(other => other.id !== environment);
    onChange({
      projects: toggled(projects ?? [], id, isOn),
      environments: environments?.filter(isLeft) ?? null,
    });
  }

  return (
    <>
      <Radios
        label={words.projects()}
        choices={[
          { id: 'all', label: words.allProjects() },
          { id: 'some', label: words.someProjects() },
        ]}
        value={projects === null ? 'all' : 'some'}
        onChange={choice => onChange(choice === 'all' ? EVERYWHERE : { ...EVERYWHERE, projects: [] })}
      />
      {projects === null ? null : (
        <Choices label={words.projects()}>
          {me.projects.map(({ id, name }) => (
            <Check key={id} isOn={projects.includes(id)} onChange={isOn => toggleProject(id, isOn)}>
              <Value>{name}</Value>
            </Check>
          ))}
        </Choices>
      )}
      {chosen.length === 0 ? null : (
        <Radios
          label={words.environments()}
          choices={[
            { id: 'all', label: words.allEnvironments() },
            { id: 'some', label: words.someEnvironments() },
          ]}
          value={environments === null ? 'all' : 'some'}
          onChange={choice => onChange({ projects, environments: choice === 'all' ? null : [] })}
        />
      )}
      {chosen.length === 0 || environments === null ? null : (
        <Choices label={words.environments()}>
          {chosen.map((project, at) => (
            <fieldset key={project.id}>
              <legend>{words.environmentsOf(project.name)}</legend>
              {found[at]?.data?.data.map(({ id, name, color }) => (
                <Check
                  key={id}
                  isOn={environments.includes(id)}
                  onChange={isOn => onChange({ projects, environments: toggled(environments, id, isOn) })}
                >
                  <EnvironmentChip name={name} color={color} />
                </Check>
              )) ?? <Missing error={found[at]?.error ?? null} />}
            </fieldset>
          ))}
        </Choices>
      )}
    </>
  );
}

function Choices({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className={styles.choices} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

function Missing({ error }: { error: Error | null }) {
  return error instanceof Refused ? <p>{refusalText(error.refusal)}</p> : <Skeleton height="6rem" />;
}

function toggled(ids: readonly string[], id: string, isOn: boolean): string[] {
  return isOn ? [...ids, id] : ids.filter(other => other !== id);
}
