import type { Filter } from '#api/dashboard/browser/parts/filters.tsx';

type Bounds = { min?: string | undefined; max?: string | undefined };

const number = String.raw`\$?\s?(\d[\d,]*(?:\.\d+)?)`;
const between = new RegExp(String.raw`^${number}\s*(?:-|–|—|\.\.|to)\s*${number}$`, 'i');
const beyond = new RegExp(String.raw`^([<>]=?|[≤≥])\s*${number}$`);

/** What somebody writes who means a range of dollars: `$35–$40`, `35 to 40`, `> 100`, `<= 5`. Null: it is an exact amount. */
function boundsOf(text = ''): Bounds | null {
  const [, min, max] = between.exec(text.trim()) ?? [];
  if (min !== undefined && max !== undefined) return { min, max };
  const [, sign, bound] = beyond.exec(text.trim()) ?? [];
  if (sign === undefined || bound === undefined) return null;
  return sign === '<' || sign === '<=' || sign === '≤' ? { max: bound } : { min: bound };
}

/** One field for an exact amount and for a range; the address has what was typed. */
export const amountFilters: Filter<'GET /v1/events'>[] = [
  {
    name: 'amount',
    label: 'Amount',
    kind: 'text',
    hint: '$35 or $35–$40',
    sends: text => (boundsOf(text) ? undefined : text),
  },
  {
    name: 'amount_min',
    label: 'At least',
    kind: 'hidden',
    sends: (min, { amount }) => min ?? boundsOf(amount)?.min,
  },
  {
    name: 'amount_max',
    label: 'At most',
    kind: 'hidden',
    sends: (max, { amount }) => max ?? boundsOf(amount)?.max,
  },
];
