import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { Refused } from '../api/refusal';
import { totalAt } from '../charts/series';
import { TimeChart } from '../charts/TimeChart';
import { DownloadCsv } from '../parts/DownloadCsv';
import { Button } from '../ui/Button';
import { Empty, Loading, Skeleton } from '../ui/Feedback';
import { RefusalPage } from '../ui/RefusalPage';
import { Select } from '../ui/Select';
import { Changes, markersOf } from './Changes';
import { Completeness } from './Completeness';
import styles from './Insights.module.css';
import { insights } from './messages';
import { type Counted, changesQuery, type Scope, seriesQuery } from './queries';
import { RANGES, type Range } from './ranges';
import { type Series, type Split, timelineOf, totalOf } from './report';

interface EvaluationChartProps {
  scope: Scope;
  /** The id of the flag of the scope, to mark its changes alone. */
  flagId?: string | undefined;
  environments: readonly { id: string; name: string }[];
  range: Range;
  onRange: (range: Range) => void;
  split: Split;
  splits: readonly Split[];
  onSplit: (split: Split) => void;
  /** More fields beside those of range and split. */
  filters?: ReactNode;
  /** A first evaluation, shown in place of the chart while there is none. */
  firstCall: ReactNode;
  /** Below the chart. */
  children?: (counted: Counted) => ReactNode;
}

/** Evaluations over time with what is needed to read them: range, split, changes, totals, CSV. */
export function EvaluationChart(props: EvaluationChartProps) {
  const { scope, environments, range, onRange, split, splits, onSplit, filters, firstCall, children } = props;
  const counted = useQuery(seriesQuery(scope, range, split));
  const nameOf = useMemo(() => {
    const names = new Map(environments.map(({ id, name }) => [id, name]));
    return (id: string) => names.get(id);
  }, [environments]);
  const timeline = useMemo(() => {
    if (counted.data === undefined) return null;
    const label = (series: Series) => labelOf(series, split, nameOf);
    const { reports, span } = counted.data;
    return timelineOf(reports, split, span, { of: label, others: insights.others });
  }, [counted.data, split, nameOf]);

  if (counted.data === undefined && counted.error instanceof Refused) {
    return <RefusalPage refusal={counted.error.refusal} />;
  }
  return (
    <div className="stack">
      <div className={styles.filters}>
        {filters}
        <Select
          label={insights.splitBy()}
          choices={splits.map(id => ({ id, label: insights.splitName(id) }))}
          value={split}
          onChange={id => onSplit(splits.find(known => known === id) ?? split)}
        />
        <Select
          label={insights.range()}
          choices={RANGES.map(id => ({ id, label: insights.rangeName(id) }))}
          value={range}
          onChange={id => onRange(RANGES.find(known => known === id) ?? range)}
        />
      </div>
      {timeline === null || counted.data === undefined ? (
        <Loading>
          <Skeleton height="22rem" />
        </Loading>
      ) : totalOf(timeline) === 0 ? (
        <Nothing range={range} onRange={onRange} firstCall={firstCall} />
      ) : (
        <>
          <Marked {...props} timeline={timeline} counted={counted.data} nameOf={nameOf} />
          {children?.(counted.data)}
        </>
      )}
    </div>
  );
}

interface MarkedProps extends EvaluationChartProps {
  timeline: ReturnType<typeof timelineOf>;
  counted: Counted;
  nameOf: (id: string) => string | undefined;
}

function Marked({ scope, flagId, range, split, timeline, counted, nameOf }: MarkedProps) {
  const changes = useQuery(changesQuery(scope, flagId, counted.span));
  const entries = changes.data?.data ?? [];
  const groups = useMemo(() => markersOf(changes.data?.data ?? [], timeline), [changes.data, timeline]);
  const head = [insights.csvTime(), ...timeline.lines.map(({ label }) => label), insights.csvTotal()];
  const rows = () =>
    timeline.at.map((start, index) => [
      new Date(start * 1000).toISOString(),
      ...timeline.lines.map(({ counts }) => counts[index] ?? 0),
      totalAt(timeline, index),
    ]);
  return (
    <>
      <div className="row apart">
        <p role="status">
          <strong>{insights.inRange(totalOf(timeline), range)}</strong>
        </p>
        <DownloadCsv name={['evaluations', scope.flagKey ?? '', split, range]} head={head} rows={rows} />
      </div>
      <TimeChart label={insights.chart(split)} timeline={timeline} markers={groups} />
      <Changes groups={groups} entries={entries} total={changes.data?.total ?? 0} nameOf={nameOf} />
      <Completeness scope={scope} reports={counted.reports} />
    </>
  );
}

/** A longer range may have what this one has not. */
function Nothing({
  range,
  onRange,
  firstCall,
}: Pick<EvaluationChartProps, 'range' | 'onRange' | 'firstCall'>) {
  const longer = RANGES[RANGES.indexOf(range) + 1];
  if (longer === undefined) {
    return (
      <Empty title={insights.noneTitle()} api={firstCall}>
        {insights.none()}
      </Empty>
    );
  }
  return (
    <Empty
      title={insights.noneInRangeTitle()}
      action={<Button onPress={() => onRange(longer)}>{insights.longer(longer)}</Button>}
      api={firstCall}
    >
      {insights.noneInRange(range)}
    </Empty>
  );
}

function labelOf(series: Series, split: Split, nameOf: (id: string) => string | undefined): string {
  switch (split) {
    case 'value':
      if (series.value_digest !== null) return insights.longValue(series.value_digest);
      return series.value === null ? insights.noValue() : JSON.stringify(series.value);
    case 'variant':
      return series.variant_key === '' ? insights.noVariant() : (series.variant_key ?? '');
    case 'reason':
      return insights.reason(series.reason ?? '');
    case 'environment':
      return nameOf(series.env_id ?? '') ?? insights.deletedEnvironment();
    case 'flag':
      return series.flag_key === '__other__' ? insights.unknownKeys() : (series.flag_key ?? '');
  }
}
