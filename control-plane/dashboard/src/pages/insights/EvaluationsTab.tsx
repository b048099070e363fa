import { useQuery } from '@tanstack/react-query';
import { flagQuery } from '../../flagState/queries';
import { EvaluationChart } from '../../insights/EvaluationChart';
import { FirstCall } from '../../insights/FirstCall';
import { insights } from '../../insights/messages';
import type { Split } from '../../insights/report';
import { VariantShares } from '../../insights/VariantShares';

import { EnvironmentSelect } from './EnvironmentSelect';
import { FlagField } from './FlagField';
import type { TabProps } from './tabs';
import { useFilters } from './useFilters';

const OF_ALL: readonly Split[] = ['environment', 'flag', 'reason'];
const OF_FLAG: readonly Split[] = ['value', 'variant', 'environment', 'reason'];

/** Evaluations over time, of the project or of one flag. */
export default function EvaluationsTab({ project, environments }: TabProps) {
  const { search, environment, set } = useFilters(environments);
  const { flag: flagKey, range = 'day', by } = search;
  const flag = useQuery({
    ...flagQuery(project.id, flagKey ?? ''),
    enabled: flagKey !== undefined,
    retry: false,
  });
  const splits = (flagKey === undefined ? OF_ALL : OF_FLAG).filter(
    split => split !== 'environment' || environment === undefined,
  );
  const usual = splits[0] ?? 'reason';
  const split = splits.find(known => known === by) ?? usual;
  const shown = environment ?? environments[0];
  const body = { flag_key: flagKey ?? 'new-checkout', context: { key: 'user-1' } };
  return (
    <EvaluationChart
      scope={{ projectId: project.id, envId: environment?.id, flagKey }}
      flagId={flagKey === undefined ? undefined : flag.data?.id}
      environments={environments}
      range={range}
      onRange={next => set({ range: next === 'day' ? undefined : next })}
      split={split}
      splits={splits}
      onSplit={next => set({ by: next === usual ? undefined : next })}
      filters={
        <>
          <FlagField
            projectId={project.id}
            value={flagKey}
            onChange={key => set({ flag: key, by: undefined })}
          />
          <EnvironmentSelect environments={environments} value={environment} onChange={env => set({ env })} />
        </>
      }
      firstCall={<FirstCall label={insights.evaluateOnce()} path="/v1/evaluate" body={body} />}
    >
      {() =>
        flagKey === undefined || shown === undefined || flag.data?.flag_type !== 'ab' ? null : (
          <VariantShares projectId={project.id} flagKey={flagKey} environment={shown} range={range} />
        )
      }
    </EvaluationChart>
  );
}
