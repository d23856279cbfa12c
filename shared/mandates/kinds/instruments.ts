import { line } from '#shared/values/text.ts';
import { allowed, allowedWords, among, listSchema } from './list.ts';

type Ids = { ids: readonly string[] };

/** The cards, accounts and wallets that may be used to pay. */
export const allowedInstruments = {
  schema: () => listSchema('payment.allowed_payment_instruments', 'ids', line(200), ['tok_1']),
  rule: ({ ids }: Ids) =>
    allowed({
      code: 'instrument_not_allowed',
      unknown: 'instrument_unknown',
      read: event => event.instrument?.id ?? null,
      has: among(ids),
      values: ids,
    }),
};

/** Events do not name who initiates a payment. The nearest they report is a merchant's key, which names who receives it. */
export const allowedPisps = {
  schema: () => listSchema('payment.allowed_pisps', 'ids', line(200), ['tok_1']),
  rule: ({ ids }: Ids) =>
    allowed({
      code: 'pisp_not_allowed',
      unknown: 'pisp_unknown',
      read: ({ payee }) => /^merchant:([^:]+):/.exec(payee.key)?.[1] ?? null,
      has: among(ids.map(id => id.toLowerCase())),
      values: ids,
    }),
};

export const allowedInstrumentsWords = allowedWords({
  type: 'payment.allowed_payment_instruments',
  name: 'Allowed payment instruments',
  limit: 'only these instruments',
  thing: 'instrument',
  field: { name: 'ids', label: 'Instruments', as: 'lines', hint: 'IDs, one per line.' },
});

export const allowedPispsWords = allowedWords({
  type: 'payment.allowed_pisps',
  name: 'Allowed payment services',
  limit: 'only through these payment services',
  thing: 'payment service',
  field: { name: 'ids', label: 'Services', as: 'lines', hint: 'IDs, one per line.' },
});
