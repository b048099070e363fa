import type { Checkout } from './queries';

/** Leaves for the payment gateway: to its page, or by the form that it wants to be posted. */
export function goToCheckout(checkout: Checkout): void {
  if ('redirect_url' in checkout) {
    window.location.assign(checkout.redirect_url);
    return;
  }
  const form = document.createElement('form');
  form.method = 'post';
  form.action = checkout.gateway_form_url;
  for (const [name, value] of formFields(checkout)) {
    const field = document.createElement('input');
    field.type = 'hidden';
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}

/** What is posted: everything but which gateway it is and its address. */
export function formFields(checkout: Checkout): [string, string][] {
  return Object.entries(checkout).filter(([name]) => name !== 'gateway' && name !== 'gateway_form_url');
}
