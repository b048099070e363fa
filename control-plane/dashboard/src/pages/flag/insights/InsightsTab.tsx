import { useState } from 'react';
import { EvaluationChart } from '../../../insights/EvaluationChart';
import { FirstCall } from '../../../insights/FirstCall';
import { insights } from '../../../insights/messages';
import { NoMetrics } from '../../../insights/NoMetrics';
import type { Scope } from '../../../insights/queries';
import type { Range } from '../../../insights/ranges';
import type { Split } from '../../../insights/report';
import { VariantShares } from '../../../insights/VariantShares';
import { useMe } from '../../../session/me';

import type { TabProps } from '../tabProps';
import { StillUsed } from './StillUsed';

const SPLITS: readonly Split[] = ['value', 'variant', 'reason'];

/** How often the flag was evaluated in an environment, and what it served. */
export default function InsightsTab({ project, flag, environment }: TabProps) {
  const mayRead = useMe().permissions.includes('metrics.read');
  const [range, setRange] = useState<Range>('day');
  const hasVariants = flag.flag_type === 'ab';
  const [split, setSplit] = useState<Split>(hasVariants ? 'variant' : 'value');
  const scope: Scope = { projectId: project.id, envId: environment.id, flagKey: flag.key };
  if (!mayRead) {
    return (
      <div className="stack">
        <StillUsed scope={scope} environment={environment} mayRead={false} />
        <NoMetrics />
      </div>
    );
  }
  const body = { flag_key: flag.key, context: { key: 'user-1' } };
  return (
    <div className="stack">
      <StillUsed scope={scope} environment={environment} mayRead />
      <EvaluationChart
        scope={scope}
        flagId={flag.id}
        environments={[environment]}
        range={range}
        onRange={setRange}
        split={split}
        splits={SPLITS}
        onSplit={setSplit}
        firstCall={<FirstCall label={insights.evaluateOnce()} path="/v1/evaluate" body={body} />}
      />
      {hasVariants ? (
        <VariantShares projectId={project.id} flagKey={flag.key} environment={environment} range={range} />
      ) : null}
    </div>
  );
}
