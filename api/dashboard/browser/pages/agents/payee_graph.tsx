import { useState } from 'preact/hooks';
import type { AgentSummary } from '#shared/events/parties/agent_summary.ts';
import { countText, usdText } from '#api/dashboard/browser/parts/format.ts';
import { useScreen } from '#api/dashboard/browser/parts/use_screen.ts';

type Payee = AgentSummary['by_payee'][number];

const FIRST = 8;
const ROW = 30;
const WIDEST = 16;

/** Where things stand: the right side of the agent, the dots of the payees, and how many letters of names there is room for. */
const wide = { width: 560, left: 118, right: 290, letters: 16, payee_letters: 24 };
const narrow = { width: 340, left: 84, right: 136, letters: 11, payee_letters: 15 };

/** Whom an agent paid, a line each, as wide as its share; the name of a payee leads to it. The first eight, and all twenty on demand. */
export function PayeeGraph({ name, payees }: { name: string; payees: Payee[] }) {
  const [all, setAll] = useState(false);
  const { width, left, right, letters, payee_letters } = useScreen(600) ? wide : narrow;
  if (payees.length === 0) return <p class="quiet">No payments in the last 30 days.</p>;
  const shown = all ? payees : payees.slice(0, FIRST);
  const height = shown.length * ROW + 8;
  const middle = height / 2;
  // For the width of a line only.
  const most = Math.max(...shown.map(({ spend_usd_minor }) => Number(spend_usd_minor)), 1);
  return (
    <figure class="payee-graph">
      <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`Payees of ${name}`}>
        {shown.map(({ payee_id, spend_usd_minor }, index) => (
          <path
            key={payee_id}
            d={`M${left} ${middle} C${(left + right) / 2} ${middle} ${(left + right) / 2} ${yOf(index)} ${right - 8} ${yOf(index)}`}
            stroke-width={Math.max(1.5, (WIDEST * Number(spend_usd_minor)) / most)}
          />
        ))}
        <rect x="0" y={middle - 15} width={left} height="30" rx="6" />
        <text x={left / 2} y={middle + 4.5} text-anchor="middle" class="agent">
          {cut(name, letters)}
        </text>
        {shown.map(({ payee_id, name, key, payments, spend_usd_minor }, index) => (
          <a key={payee_id} href={`/payees/${payee_id}`}>
            <title>{`${name ?? key}: ${usdText(spend_usd_minor)}, ${countText(payments)} ${payments === 1 ? 'payment' : 'payments'}`}</title>
            <circle cx={right - 4} cy={yOf(index)} r="4" />
            <text x={right + 8} y={yOf(index) + 4.5}>
              {cut(name ?? key, payee_letters)}
            </text>
            <text x={width - 2} y={yOf(index) + 4.5} text-anchor="end" class="sum">
              {usdText(spend_usd_minor)}
            </text>
          </a>
        ))}
      </svg>
      {payees.length > FIRST && (
        <button type="button" class="plain" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${countText(payees.length)}`}
        </button>
      )}
    </figure>
  );
}

const yOf = (index: number): number => index * ROW + ROW / 2 + 4;

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
