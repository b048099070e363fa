import { useQuery } from '@tanstack/react-query';
import { environmentsQuery } from '../../frame/environments';
import { slugOf } from '../../parts/suggest';
import { Select } from '../../ui/Select';
import styles from './Migration.module.css';
import { migration as words } from './messages';
import { mapped, type SourceEnvironment } from './source';

interface EnvironmentsFieldProps {
  projectId: string;
  environments: readonly SourceEnvironment[];
  /** Slugs by environments, where another one than their own is chosen. */
  chosen: Record<string, string>;
  onChange: (chosen: Record<string, string>) => void;
}

/** Where each environment of the source goes: to one that is here, or to a new one. */
export function EnvironmentsField({ projectId, environments, chosen, onChange }: EnvironmentsFieldProps) {
  const { data } = useQuery(environmentsQuery(projectId));
  const here = data?.data ?? [];
  if (environments.length === 0) return null;
  return (
    <fieldset className="stack close">
      <legend>
        <h3>{words.environments()}</h3>
      </legend>
      <p className="soft">{words.environmentsText()}</p>
      <div className={styles.environments}>
        {environments.map(environment => {
          const own = environment.slug ?? slugOf(environment.name);
          const isHere = here.some(({ slug }) => slug === own);
          return (
            <Select
              key={environment.name}
              label={words.goesTo(environment.name)}
              choices={[
                ...(isHere ? [] : [{ id: own, label: words.create(own) }]),
                ...here.map(({ slug, name }) => ({ id: slug, label: words.existing(name, slug) })),
              ]}
              value={chosen[environment.name] ?? own}
              onChange={slug => onChange(mapped(chosen, environment, slug))}
            />
          );
        })}
      </div>
    </fieldset>
  );
}
