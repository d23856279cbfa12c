import type { Client } from './client.ts';
import type { DataOf } from './call.ts';
import { type ErrorDetail, OversightError } from './error.ts';
import { type AxiosLike, type FetchLike, listenTo } from './x402_traffic.ts';
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
  client: Pick<Client, 'call'>;
  /** What to do where a mandate would be broken: refuse, pay and warn, or do what a person answers (true: pay). */
  mode: 'throw' | 'warn' | ((breach: Breach) => Promise<boolean>);
  /** Hears of a breach that is paid for, and of a payment that is made without an answer. */
  onWarn?: (warning: Error) => void;
  /** How long the service may take, in milliseconds; two seconds when left out. */
  within?: number;
  /** What to do where it does not answer: pay (when left out), or refuse. */
  unanswered?: 'pay' | 'refuse';
};

const WITHIN = 2_000;

/**
 * Asks before a payment over x402 is sent whether it would break a mandate of the agent, and refuses it where it would: whoever pays gets
 * OversightError `mandate_breach`, whose `details` say what would be broken. The payment is signed by then, but nobody else has seen it. Give it
 * what x402 sends its requests with, as `observeX402`; both together: `guard(observeX402(fetch, …), …)`.
 */
export function guard<T extends FetchLike | AxiosLike>(target: T, options: GuardOptions): T {
  const { client, mode, onWarn = () => {}, within = WITHIN, unanswered = 'pay' } = options;
  return listenTo(target, {
    async before(payment) {
      const verdict = await judge().catch((thrown: unknown) =>
        thrown instanceof Error ? thrown : new Error(String(thrown)),
      );
      if (verdict instanceof Error) {
        const error = new OversightError(
          'unavailable',
          `Nothing says whether this payment breaks a mandate: ${verdict.message}`,
        );
        if (unanswered === 'refuse') throw error;
        return onWarn(error);
      }
      if (verdict?.result !== 'breach') return;
      const constraints = verdict.constraints.filter(({ result }) => result === 'breach');
      const breach = { url: payment.url, mandate_id: verdict.mandate_id, constraints };
      const error = errorOf(breach);
      if (mode === 'throw') throw error;
      if (mode === 'warn') return onWarn(error);
      if (!(await mode(breach))) throw error;

      async function judge(): Promise<Evaluation | null> {
        const event = (await readPayment(payment, options)).authorized();
        const how = { patience: within, signal: AbortSignal.timeout(within) };
        const { results } = await client.call('POST /v1/events/validate', { body: event as never }, how);
        const [result] = results;
        if (!result?.valid) throw new Error(result?.errors[0]?.message ?? 'The service did not answer for it.');
        return result.mandate_evaluation;
      }
    },
  });
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
