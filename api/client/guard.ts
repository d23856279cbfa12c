import type { Client } from './client.ts';
import type { DataOf } from './call.ts';
import { type ErrorDetail, OversightError } from './error.ts';
import { errorFrom, tell } from './listeners.ts';
import type { SentPayment } from './x402_payment.ts';
import { listenTo, type Payable } from './x402_traffic.ts';
import { type Payer, readPayment } from './x402_event.ts';

/** A payment that the agent is about to make, and what its mandates say about it. */
export type Breach = {
  url: string;
  mandate_id: string;
  /** The constraints it would breach: `observed` against `limit`. */
  constraints: Evaluation['constraints'];
};
type Evaluation = NonNullable<DataOf<'POST /v1/events/validate'>['results'][number]['mandate_evaluation']>;

export type GuardOptions = Payer & {
  client: Pick<Client, 'call'> & Partial<Pick<Client, 'events'>>;
  /**
   * What to do about a breach: refuse, pay and warn, or ask a person (true: pay). A payment that cannot be read is refused, or warned
   * about.
   */
  mode: 'throw' | 'warn' | ((breach: Breach) => Promise<boolean>);
  /** Called for a breach that is paid anyway, and for a payment made without an answer. */
  onWarn?: (warning: Error) => void;
  /** How long the service may take, in milliseconds; two seconds when omitted. */
  within?: number;
  /**
   * What to do when the service does not answer, or cannot tell whether a mandate would be breached: pay and warn (the default), or refuse.
   */
  unanswered?: 'pay' | 'refuse';
};

const WITHIN = 2_000;

/**
 * Before a payment over x402 is sent, asks whether it would breach a mandate of the agent, and refuses it if so: the payer gets
 * OversightError `mandate_breach`, whose `details` name what would be breached, or `unprocessable` if the payment cannot be read or
 * evaluated. The payment is signed by then, but nobody else has seen it. What is waiting in `client.events` is sent first. Wrap the fetch
 * that x402 sends its requests with, like `observeX402`; both together: `guard(observeX402(fetch, …), …)`. Wrapped around the paying fetch,
 * it sees no payments, and `onWarn` is told. If the inner fetch is not accessible, wrap the x402 client: then nothing says whether the
 * address is allowed.
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

/**
 * The evaluation of a payment; null when there are no mandates. Throws if the payment cannot be read or the service does not evaluate it.
 */
async function judge(payment: SentPayment, options: GuardOptions): Promise<Evaluation | null> {
  const { client, within = WITHIN } = options;
  const event = (await readPayment(payment, options)).authorized();
  const signal = AbortSignal.timeout(within);
  // Budgets count what is stored.
  await atMost(within / 2, client.events?.flush());
  const how = { patience: within, signal };
  const { results } = await client.call('POST /v1/events/validate', { body: event as never }, how);
  const [result] = results;
  if (!result?.valid)
    throw new OversightError('unprocessable', result?.errors[0]?.message ?? 'the service did not answer for it.');
  return result.mandate_evaluation;
}

/** Why a payment could not be evaluated, unless the payment itself is at fault: otherwise a seller could get it paid unchecked. */
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

/** Waits for something for a limited time, whether or not it fails. */
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
