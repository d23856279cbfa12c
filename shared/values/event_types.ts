import { z } from 'zod';
import { rails } from './rails.ts';

export const eventTypes = [
  'payment.requested',
  'payment.authorized',
  'payment.settled',
  'payment.failed',
  'payment.canceled',
  'payment.refunded',
  'payment.disputed',
] as const;
export const EventType = z.enum(eventTypes).meta({ id: 'EventType', description: 'What happened to the payment.' });
export type EventType = z.infer<typeof EventType>;

export const paymentStatuses = [
  'pending',
  'authorized',
  'settled',
  'failed',
  'canceled',
  'refunded',
  'partially_refunded',
  'disputed',
] as const;
export const PaymentStatus = z
  .enum(paymentStatuses)
  .meta({ id: 'PaymentStatus', description: 'State of the payment after the event.' });
export type PaymentStatus = z.infer<typeof PaymentStatus>;

/** The payment statuses an event of each type may report. */
export const statusesOfType: Record<EventType, readonly PaymentStatus[]> = {
  'payment.requested': ['pending'],
  'payment.authorized': ['authorized'],
  'payment.settled': ['settled'],
  'payment.failed': ['failed'],
  'payment.canceled': ['canceled'],
  'payment.refunded': ['refunded', 'partially_refunded'],
  'payment.disputed': ['disputed'],
};

export const Rail = z.enum(rails).meta({
  id: 'Rail',
  description: 'How the money moves. Authorization protocols (AP2, ACP, KYAPay) are evidence, not rails.',
});
export type Rail = z.infer<typeof Rail>;

export const payeeTypes = ['merchant', 'business', 'individual', 'wallet', 'agent', 'unknown'] as const;
export const PayeeType = z.enum(payeeTypes).meta({ id: 'PayeeType', description: 'What kind of party is paid.' });
export type PayeeType = z.infer<typeof PayeeType>;

const amountUnits = ['minor', 'atomic'] as const;
export const AmountUnit = z.enum(amountUnits).meta({
  description: 'minor: cents and the like, with currency. atomic: smallest units of a token, with asset.',
});
export type AmountUnit = z.infer<typeof AmountUnit>;
