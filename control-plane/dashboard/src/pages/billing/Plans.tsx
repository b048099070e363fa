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
        <Offer offer={free} note={plan === 'free' ? billing.current() : null} />
        <Offer
          offer={pro}
          note={plan === 'pro' ? billing.current() : plan === 'trial' ? billing.trying() : null}
        />
        <Offer offer={enterprise} note={plan === 'enterprise' ? billing.current() : null} />
      </div>
      {plan === 'enterprise' ? null : <p className="soft">{billing.contact()}</p>}
    </section>
  );
}

interface OfferProps {
  offer: Pricing['plans']['pro'];
  /** That it is the own one. */
  note: string | null;
}

function Offer({ offer, note }: OfferProps) {
  return (
    <div className={styles.plan} {...(note === null ? {} : { 'aria-current': 'true' })}>
      <h3>{offer.name}</h3>
      <p>{billing.price(offer.display_price, offer.billing_period)}</p>
      {note === null ? null : <p className="soft small">{note}</p>}
      <ul>
        {offer.features.map(feature => (
          <li key={feature}>{feature}</li>
        ))}
      </ul>
    </div>
  );
}
