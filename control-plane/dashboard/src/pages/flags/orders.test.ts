import { expect, it } from 'vitest';
import { NEWEST, ORDERS, orderId, orderOf } from './orders';

it('is newest first without an address', () => {
  expect(orderOf({})).toEqual(NEWEST);
  expect(orderOf({ order: 'asc' })).toEqual({ sort: 'created_at', order: 'asc' });
});

it('ascends where only a sort is given', () => {
  expect(orderOf({ sort: 'key' })).toEqual({ sort: 'key', order: 'asc' });
});

it('has one id for each', () => {
  expect(new Set(ORDERS.map(orderId)).size).toBe(ORDERS.length);
});
