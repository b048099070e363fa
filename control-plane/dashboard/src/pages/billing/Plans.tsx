import { useQuery } from '@tanstack/react-query';
import styles from './Billing.module.css';
import { billing } from './messages';
import { type Pricing, pricingQuery } from './queries';

/** What each plan has, beside the own one. */
export function Plans({ plan }: { plan: string }) {
  const { data } = useQuery(pricingQuery);
  if (data === undefined) return null;
  const { free, pro, enterprise } = data.plans;
  return (
    <section className="card" aria-labelledby="plans">
      <h2 id="plans">{billing.plans()}</h2>
      <div className={styles.plans}>
        <Offer offer={free} isCurrent={plan === 'free'} />
        <Offer offer={pro} isCurrent={plan === 'pro' || plan === 'trial'} />
        <Offer offer={enterprise} isCurrent={plan === 'enterprise'} />
      </div>
      {plan === 'enterprise' ? null : <p className="soft">{billing.contact()}</p>}
    </section>
  );
}

interface OfferProps {
  offer: Pricing['plans']['pro'];
  isCurrent: boolean;
}

function Offer({ offer, isCurrent }: OfferProps) {
  return (
    <div className={styles.plan} {...(isCurrent ? { 'aria-current': 'true' } : {})}>
      <h3>{offer.name}</h3>
      <p>{billing.price(offer.display_price, offer.billing_period)}</p>
      {isCurrent ? <p className="soft small">{billing.current()}</p> : null}
      <ul>
        {offer.features.map(feature => (
          <li key={feature}>{feature}</li>
        ))}
      </ul>
    </div>
  );
}
