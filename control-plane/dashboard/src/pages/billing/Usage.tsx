import { useQuery } from '@tanstack/react-query';
import { list } from '../../messages/format';
import { usageQuery } from '../../parts/usage';
import { Banner, Skeleton } from '../../ui/Feedback';
import styles from './Billing.module.css';
import { billing } from './messages';
import { nearness } from './standing';

/** Used of allowed, and what is near its limit before it is reached. */
export function Usage({ hasPro }: { hasPro: boolean }) {
  const { data } = useQuery(usageQuery);
  if (data === undefined) {
    return (
      <section className="card" aria-labelledby="usage">
        <h2 id="usage">{billing.usageTitle()}</h2>
        <Skeleton height="6rem" />
      </section>
    );
  }
  const limited = [
    { name: billing.seats(), used: data.seats_used, limit: data.seats_limit },
    { name: billing.projects(), used: data.projects_used, limit: data.projects_limit },
  ];
  const named = (which: 'near' | 'reached') =>
    limited.filter(({ used, limit }) => nearness(used, limit) === which).map(({ name }) => name);
  const [near, reached] = [named('near'), named('reached')];
  return (
    <section className="card" aria-labelledby="usage">
      <h2 id="usage">{billing.usageTitle()}</h2>
      {near.length + reached.length === 0 ? null : (
        <Banner tone="warn">
          {reached.length === 0 ? null : <p>{billing.reachedText(list(reached))}</p>}
          {near.length === 0 ? null : <p>{billing.nearText(list(near))}</p>}
          {hasPro ? null : <p>{billing.moreWithPro()}</p>}
        </Banner>
      )}
      <dl className="facts">
        {limited.map(({ name, used, limit }) => (
          <Limited key={name} name={name} used={used} limit={limit} />
        ))}
        <dt>{billing.environments()}</dt>
        <dd>{billing.usedPerProject(data.environments_used, data.environments_limit)}</dd>
      </dl>
    </section>
  );
}

function Limited({ name, used, limit }: { name: string; used: number; limit: number }) {
  const near = nearness(used, limit);
  return (
    <>
      <dt>{name}</dt>
      <dd className={styles.meter}>
        <span className="row">
          {billing.used(used, limit)}
          {near === 'far' ? null : (
            <span className={styles.warn}>
              {near === 'reached' ? billing.reached() : billing.left(limit - used)}
            </span>
          )}
        </span>
        {limit < 0 ? null : (
          <meter aria-label={name} min={0} max={limit} high={limit * 0.79} value={Math.min(used, limit)} />
        )}
      </dd>
    </>
  );
}
