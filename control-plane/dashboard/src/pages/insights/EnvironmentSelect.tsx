import type { Environment } from '../../api/model';
import { Select } from '../../ui/Select';
import { page } from './messages';

interface EnvironmentSelectProps {
  environments: readonly Environment[];
  value: Environment | undefined;
  /** The slug; nothing for all environments. */
  onChange: (slug: string | undefined) => void;
}

const ALL = '';

export function EnvironmentSelect({ environments, value, onChange }: EnvironmentSelectProps) {
  return (
    <Select
      label={page.environment()}
      choices={[
        { id: ALL, label: page.allEnvironments() },
        ...environments.map(({ slug, name }) => ({ id: slug, label: name })),
      ]}
      value={value?.slug ?? ALL}
      onChange={slug => onChange(slug === ALL ? undefined : slug)}
    />
  );
}
