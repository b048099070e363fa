import { expect, it } from 'vitest';
import { formFields } from './goToCheckout';

it('the form has what the gateway checks, and not where it goes', () => {
  const fields = {
    key: 'merchant',
    txnid: 'FF_1',
    hash: 'abc',
    amount: '1999.00',
    productinfo: 'Halyard Pro',
    firstname: 'Ada',
    email: 'ada@example.com',
    phone: '9999999999',
    surl: 'https://flags.example.com/v1/billing/gateway_form/callback',
    furl: 'https://flags.example.com/v1/billing/gateway_form/failure',
  };
  const checkout = {
    gateway: 'gateway_form' as const,
    gateway_form_url: 'https://pay.example.com',
    ...fields,
  };
  expect(Object.fromEntries(formFields(checkout))).toEqual(fields);
});
