import { useQuery } from '@tanstack/react-query';
import type { Environment } from '../api/model';
import { stateQuery } from '../flagState/queries';
import { seriesQuery } from './queries';
import type { Range } from './ranges';
import { countsOf } from './report';
import { Shares } from './Shares';

interface VariantSharesProps {
  projectId: string;
  flagKey: string;
  environment: Pick<Environment, 'id' | 'name'>;
  range: Range;
}

/** The shares of a flag's variants in an environment; nothing where it has none. */
export function VariantShares({ projectId, flagKey, environment, range }: VariantSharesProps) {
  const stored = useQuery(stateQuery(projectId, flagKey, environment.id)).data;
  const scope = { projectId, flagKey, envId: environment.id };
  const counted = useQuery(seriesQuery(scope, range, 'variant')).data;
  const state = stored !== undefined && 'variants' in stored.state ? stored.state : null;
  const variants = state?.variants ?? [];
  if (counted === undefined || variants.length === 0) return null;
  const counts = countsOf(counted.reports, 'variant');
  // Evaluations without a variant are of users whom a rule or the rollout answered.
  counts.delete('');
  const changedAt = state?.updated_at ?? null;
  const isWithin = changedAt !== null && Date.parse(changedAt) / 1000 > counted.span.from;
  return (
    <Shares
      environment={environment.name}
      variants={variants}
      counts={counts}
      changedAt={isWithin ? changedAt : null}
    />
  );
}
