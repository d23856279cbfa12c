import type { Client } from './client.ts';
import type { DataOf } from './call.ts';
import { type ErrorDetail, OversightError } from './error.ts';
import { errorFrom, tell } from './listeners.ts';
import type { SentPayment } from './x402_payment.ts';
import { listenTo, type Payable } from './x402_traffic.ts';
import { type Payer, readPayment } from './x402_event.ts';

/** What the mandates of the agent say of a payment that it is about to make. */
export type Breach = {
  url: string;
  mandate_id: string;
  /** What would be broken: `observed` against `limit`. */
  constraints: Evaluation['constraints'];
};
type Evaluation = NonNullable<DataOf<'POST /v1/events/validate'>['results'][number]['mandate_evaluation']>;

export type GuardOptions = Payer & {
  client: Pick<Client, 'call'> & Partial<Pick<Client, 'events'>>;
  /** What to do where a mandate would be broken: refuse, pay and warn, or do what a person answers (true: pay). What cannot be read is refused, or warned of. */
  mode: 'throw' | 'warn' | ((breach: Breach) => Promise<boolean>);
  /** Hears of a breach that is paid for, and of a payment that is made without an answer. */
  onWarn?: (warning: Error) => void;
  /** How long the service may take, in milliseconds; two seconds when left out. */
  within?: number;
  /** What to do where it does not answer, or cannot tell whether a mandate would be broken: pay and warn (when left out), or refuse. */
  unanswered?: 'pay' | 'refuse';
};

const WITHIN = 2_000;

/**
 * Asks before a payment over x402 is sent whether it would break a mandate of the agent, and refuses it where it would: whoever pays gets
 * OversightError `mandate_breach`, whose `details` say what would be broken; or `unprocessable`, where the payment cannot be read or judged. The
 * payment is signed by then, but nobody else has seen it. What waits in `client.events` is sent first. Give it what x402 sends its requests
 * with, as `observeX402`; both together: `guard(observeX402(fetch, …), …)`. Around the fetch that pays it sees no payment, and `onWarn` hears so.
 * Where the inner fetch is not at hand, give it the client of x402: then nothing says whether the address is allowed.
 */
export function guard<T extends Payable>(target: T, options: GuardOptions): T {
  const { mode, onWarn, unanswered = 'pay' } = options;
  const warn = (error: Error) => tell(onWarn, error);
  return listenTo(target, {
    async before(payment) {
      const verdict = await judge(payment, options).catch(errorFrom);
      const doubt = doubtOf(verdict);
      if (doubt && unanswered === 'refuse') throw doubt;
      if (doubt) return warn(doubt);
      if (verdict instanceof Error) {
        const error = new OversightError('unprocessable', `The payment cannot be judged: ${verdict.message}`);
        if (mode === 'warn') return warn(error);
        throw error;
      }
      if (verdict?.result !== 'breach') return;
      const constraints = verdict.constraints.filter(({ result }) => result === 'breach');
      const breach = { url: payment.url, mandate_id: verdict.mandate_id, constraints };
      const error = errorOf(breach);
      if (mode === 'throw') throw error;
      if (mode === 'warn') return warn(error);
      if (!(await mode(breach))) throw error;
    },
    missed: url =>
      warn(
        new Error(
          `A payment to ${url} was not asked about: give guard the inner fetch, wrapFetchWithPayment(guard(fetch, …), x402).`,
        ),
      ),
  });
}

/** What the mandates say; null where there are none. Throws where the payment cannot be read or the service does not judge it. */
async function judge(payment: SentPayment, options: GuardOptions): Promise<Evaluation | null> {
  const { client, within = WITHIN } = options;
  const event = (await readPayment(payment, options)).authorized();
  const signal = AbortSignal.timeout(within);
  // A budget knows what is stored.
  await atMost(within / 2, client.events?.flush());
  const how = { patience: within, signal };
  const { results } = await client.call('POST /v1/events/validate', { body: event as never }, how);
  const [result] = results;
  if (!result?.valid)
    throw new OversightError('unprocessable', result?.errors[0]?.message ?? 'the service did not answer for it.');
  return result.mandate_evaluation;
}

/** Why nothing is known of a payment, where that is no fault of the payment: else whoever asks for it could have it paid unasked. */
function doubtOf(verdict: Evaluation | Error | null): OversightError | null {
  if (verdict instanceof Error)
    return isAway(verdict)
      ? new OversightError('unavailable', `Nothing says whether this payment breaks a mandate: ${verdict.message}`)
      : null;
  if (verdict?.result !== 'unresolved') return null;
  const { mandate_id, constraints } = verdict;
  const open = constraints.filter(({ result }) => result === 'unresolved').map(({ type, code }) => `${type} (${code})`);
  const message = `Nothing says whether this payment breaks the mandate ${mandate_id}: ${open.join(', ')} cannot be told.`;
  return new OversightError('unavailable', message);
}

const isAway = (error: Error): boolean =>
  error instanceof OversightError
    ? error.code === 'unavailable' || error.status === 429 || error.status >= 500
    : error.name === 'TimeoutError' || error.name === 'AbortError';

/** Waits for something, but not for long, and not for whether it fails. */
async function atMost(milliseconds: number, something: Promise<unknown> | undefined): Promise<void> {
  if (!something) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rest = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([something.catch(() => {}), rest]);
  clearTimeout(timer);
}

function errorOf({ mandate_id, constraints }: Breach): OversightError {
  const details: ErrorDetail[] = constraints.map(({ type, code, observed, limit }) => ({
    path: '',
    code: code ?? type,
    message: `${type}: ${observed ?? 'this payment'}${limit === null ? '' : `, the limit is ${limit}`}`,
  }));
  const said = details.map(({ message }) => message).join('; ');
  return new OversightError('mandate_breach', `The payment would break the mandate ${mandate_id}: ${said}.`, {
    details,
  });
}
