import { listenToClient, type X402ClientLike } from './x402_client.ts';
import { decode, isAskedFor, type Payload } from './x402_messages.ts';
import type { Asking, Listener, PaymentAnswer, SentPayment } from './x402_payment.ts';

type FetchLike = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** An instance of axios. */
type AxiosLike = { getUri: (config?: never) => string; interceptors: { request: object; response: object } };

/** What payments can be observed on: the fetch or axios instance that x402 sends its requests with, or the x402 client itself. */
export type Payable = FetchLike | AxiosLike | X402ClientLike;

/** Listens to the payments through a fetch, or through an axios instance or x402 client, which are modified in place. */
export function listenTo<T extends Payable>(target: T, listener: Listener): T {
  const terms = createTerms();
  if (typeof target === 'function' && !('interceptors' in target)) return fetchWith(target, listener, terms) as T;
  if ('interceptors' in target) listenToAxios(target as unknown as Axios, listener, terms);
  else listenToClient(target as X402ClientLike, listener);
  return target;
}

const fetchWith =
  (fetch: FetchLike, listener: Listener, terms: Terms): FetchLike =>
  async (input, init) => {
    const { url, method } = input instanceof Request ? input : { url: String(input), method: init?.method ?? 'GET' };
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const payment = paymentOf({ url, method }, name => headers.get(name), terms);
    if (payment && listener.before) await listener.before(payment);
    if (payment) listener.sent?.(payment);
    const response = await fetch(input, init);
    const header = (name: string) => response.headers.get(name);
    if (payment) answer(payment, answerOf(response.status, header), listener);
    else if (settlementOf(header) !== null) listener.missed?.(url);
    else if (response.status === 402) terms.note({ url, method }, header('payment-required') ?? textOf(response));
    return response;
  };

/** As much of an axios instance as is needed here. */
type Axios = {
  getUri(config: AxiosConfig): string;
  interceptors: {
    request: { use(before: (config: AxiosConfig) => Promise<AxiosConfig>): unknown };
    response: { use(answered: (response: AxiosResponse) => AxiosResponse, failed: (error: unknown) => never): unknown };
  };
};
type AxiosConfig = { method?: string; headers: { get(name: string): unknown } };
type AxiosResponse = { status: number; headers: Record<string, unknown>; data: unknown; config: AxiosConfig };

function listenToAxios(axios: Axios, listener: Listener, terms: Terms): void {
  const payments = new WeakMap<object, SentPayment>();
  const describe = (config: AxiosConfig) => ({
    url: axios.getUri(config),
    method: (config.method ?? 'GET').toUpperCase(),
  });
  axios.interceptors.request.use(async config => {
    const payment = paymentOf(describe(config), name => textOrNull(config.headers.get(name)), terms);
    if (!payment) return config;
    await listener.before?.(payment);
    payments.set(config, payment);
    listener.sent?.(payment);
    return config;
  });
  const readAnswer = ({ status, headers, data, config }: AxiosResponse) => {
    const header = (name: string) => textOrNull(headers[name]);
    const payment = payments.get(config);
    // A paid response passes here twice: by itself, and as the answer to the request that it repeats.
    payments.delete(config);
    if (payment) answer(payment, answerOf(status, header), listener);
    else if (status === 402) terms.note(describe(config), header('payment-required') ?? jsonOf(data));
  };
  axios.interceptors.response.use(
    response => {
      readAnswer(response);
      return response;
    },
    error => {
      const { response } = error as { response?: AxiosResponse };
      if (response) readAnswer(response);
      throw error;
    },
  );
}

type RequestTarget = { url: string; method: string };
type Header = (name: string) => string | null;

function paymentOf(request: RequestTarget, header: Header, terms: Terms): SentPayment | null {
  const payload = header('payment-signature') ?? header('x-payment');
  return payload === null ? null : { ...request, payload, at: Date.now(), required: terms.of(request, payload) };
}

const answerOf = (status: number, header: Header): PaymentAnswer => ({
  status,
  at: Date.now(),
  settlement: settlementOf(header),
  required: header('payment-required'),
});

const settlementOf = (header: Header) => header('payment-response') ?? header('x-payment-response');

function answer(payment: SentPayment, answered: PaymentAnswer, listener: Listener): void {
  listener.answered?.(payment, answered);
  // What was refused may be paid once more.
  if (answered.status !== 402) void payment.required.then(asking => asking?.forget());
}

type Terms = ReturnType<typeof createTerms>;
type UnpaidRequest = RequestTarget & { at: number; text: Promise<string | null> };

/** How many requests with a known price may be unpaid. */
const MOST_UNPAID = 1_000;

/** Remembers the terms of a request until it is paid. Requests to one address may get different terms at the same time. */
function createTerms() {
  const unpaid = new Set<UnpaidRequest>();
  return {
    note(request: RequestTarget, text: string | null | Promise<string | null>) {
      const [oldest] = unpaid;
      if (oldest && unpaid.size >= MOST_UNPAID) unpaid.delete(oldest);
      unpaid.add({ ...request, at: Date.now(), text: Promise.resolve(text) });
    },
    async of({ url, method }: RequestTarget, payload: string): Promise<Asking | null> {
      const payment = decode(payload) as Payload | null;
      for (const noted of [...unpaid].toReversed()) {
        if (noted.url !== url || noted.method !== method) continue;
        const text = await noted.text;
        if (payment && text !== null && isAskedFor(payment, decode(text)))
          return { at: noted.at, text, forget: () => void unpaid.delete(noted) };
      }
      return null;
    },
  };
}

/** The most bytes of a body that are read for its terms. */
const MOST_BYTES = 65_536;

/** A copy of a body that may be the terms of version 1; null if it is longer, or breaks off. */
async function textOf(response: Response): Promise<string | null> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  try {
    reader = response.clone().body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > MOST_BYTES) return null;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return null;
  } finally {
    reader?.cancel().catch(() => {});
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What axios made of a body; null for a stream, or anything else that is not JSON. */
function jsonOf(data: unknown): string | null {
  try {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    return text === undefined || text.length > MOST_BYTES ? null : text;
  } catch {
    return null;
  }
}
