import type {
  PackAlert,
  PackCase,
  PackEvaluation,
  PackEvent,
  PackEvidence,
  PackHeader,
  PackKind,
  PackMandate,
  PackScreening,
  PackVerification,
} from '#shared/packs/pack_files.ts';
import { DAY, HOUR, MINUTE, timestamp } from '#shared/values/time.ts';
import { packAlertEvidence } from './pack_evidence.ts';

/** What stands in the files of a pack. */
export type PackContents = {
  header: PackHeader;
  events: PackEvent[];
  evidence: PackEvidence[];
  verifications: PackVerification[];
  mandates: PackMandate[];
  evaluations: PackEvaluation[];
  alerts: PackAlert[];
  screenings: PackScreening[];
  case: PackCase | null;
};

const BEGIN = Date.parse('2026-03-02T09:00:00.000Z');

/** An id of this kind; the same number is always the same id. */
export const packId = (prefix: string, number: number) => `${prefix}_01KPACK${String(number).padStart(19, '0')}`;

/** 64 hex digits that stand for a hash. */
const packHash = (number: number) => number.toString(16).padStart(4, '0').repeat(16);

export const packHeader = (kind: PackKind = 'evidence_pack', more: Partial<PackHeader['pack']> = {}): PackHeader => ({
  pack: {
    id: packId('pck', 1),
    kind,
    title: 'Card testing at Hotel Seeblick',
    scope: { agent_id: packId('agt', 1), from: timestamp(BEGIN), to: timestamp(BEGIN + 30 * DAY) },
    redact: [],
    created_at: timestamp(BEGIN + 40 * DAY),
    created_by: packId('usr', 1),
    ...more,
  },
  organization: { id: packId('org', 1), name: 'Acme Travel GmbH' },
  environment: 'sandbox',
  log: {
    origin: `pay.example.com/${packId('org', 1)}/sandbox`,
    size: 12_345,
    root_hash: packHash(48_879),
    analyzed_seq: 12_345,
  },
});

/** A pack with nothing in it. */
export const emptyPack = (header = packHeader()): PackContents => ({
  header,
  events: [],
  evidence: [],
  verifications: [],
  mandates: [],
  evaluations: [],
  alerts: [],
  screenings: [],
  case: null,
});

type EventOptions = {
  seq: number;
  type?: PackEvent['type'];
  status?: PackEvent['payment']['status'];
  payment_id?: string;
  at?: number;
  /** What it is worth, in micro-USD; null: not priced. */
  usd_micro?: bigint | null;
  amount?: PackEvent['payment']['amount'];
  rail?: PackEvent['payment']['rail'];
  payee?: number;
  payee_name?: string;
  agent?: number;
  agent_name?: string;
} & Partial<Pick<PackEvent, 'verification' | 'mandate_evaluation'>>;

const statuses = {
  'payment.requested': 'pending',
  'payment.authorized': 'authorized',
  'payment.settled': 'settled',
  'payment.failed': 'failed',
  'payment.canceled': 'canceled',
  'payment.refunded': 'refunded',
  'payment.disputed': 'disputed',
} as const;

/** An event of a pack: a settled card payment of one dollar, unless said otherwise. */
export function packEvent({ seq, type = 'payment.settled', ...options }: EventOptions): PackEvent {
  const { agent = 1, payee = 1, at = BEGIN + seq * HOUR, usd_micro = 1_000_000n } = options;
  const id = packId('evt', seq);
  const agent_id = packId('agt', agent);
  const name = options.payee_name ?? `Hotel ${payee}`;
  const status = options.status ?? statuses[type];
  const value = usd_micro === null ? '500000' : String(usd_micro / 10_000n);
  const amount = options.amount ?? { value, unit: 'minor', currency: usd_micro === null ? 'KRW' : 'USD' };
  const payment = {
    payment_id: options.payment_id ?? `order-${seq}`,
    rail: options.rail ?? 'card',
    status,
    amount,
    amount_usd_minor: usd_micro === null ? null : String(usd_micro / 10_000n),
    payee: { key: `domain:hotel-${payee}.example.com`, name },
  };
  return {
    id,
    type,
    environment: 'sandbox',
    occurred_at: timestamp(at),
    received_at: timestamp(at + 1_500),
    source_id: packId('src', 1),
    agent_id,
    owner_id: packId('own', 1),
    payee_id: packId('pye', payee),
    chain_seq: seq,
    payment,
    usd_rate: null,
    evidence_count: 0,
    verification: options.verification ?? null,
    mandate_evaluation: options.mandate_evaluation ?? null,
    agent: { id: agent_id, external_id: `buyer-${agent}`, name: options.agent_name ?? `Buyer ${agent}` },
    owner: { id: packId('own', 1), external_id: 'team-1', name: 'Travel' },
    amount_usd_micro: usd_micro === null ? null : String(usd_micro),
    event_digest: packHash(seq),
    leaf_hash: packHash(seq + 1),
    signed_input: null,
    input: { id, type },
    erasure: null,
  };
}

export const packEvidence = (seq: number, more: Partial<PackEvidence> = {}): PackEvidence => ({
  event_id: packId('evt', seq),
  chain_seq: seq,
  position: 0,
  id: packId('evd', seq),
  kind: 'x402.payment_payload',
  media_type: 'application/json',
  encoding: 'utf8',
  label: null,
  sha256: packHash(seq + 2),
  value: { x402Version: 2 },
  withheld: null,
  ...more,
});

export const packVerification = (seq: number, more: Partial<PackVerification> = {}): PackVerification => ({
  id: packId('vrf', seq),
  event_id: packId('evt', seq),
  chain_seq: seq,
  evidence_id: packId('evd', seq),
  kind: 'x402_authorization',
  result: 'verified',
  checks: [{ name: 'signature', result: 'pass' }],
  verifier_version: '1',
  at: timestamp(BEGIN + seq * HOUR + MINUTE),
  superseded: false,
  inputs: { event_digest: packHash(seq), evidence_sha256: packHash(seq + 2) },
  ...more,
});

export const packMandate = (number: number, more: Partial<PackMandate> = {}): PackMandate => ({
  id: packId('mnd', number),
  agent_id: packId('agt', 1),
  owner_id: packId('own', 1),
  source: 'native',
  version: 1,
  state: 'active',
  name: 'Travel bookings',
  valid_from: timestamp(BEGIN - DAY),
  valid_until: null,
  human_presence: 'not_required',
  constraints: [
    { type: 'payment.amount_range', max: '50000', currency: 'USD' },
    {
      type: 'payment.budget',
      max: '200000',
      currency: 'USD',
      interval: 'daily',
      window: 'calendar',
      tz: 'Europe/Berlin',
    },
  ],
  external_ref: null,
  created_at: timestamp(BEGIN - DAY),
  created_by: packId('usr', 1),
  signed_constraints: null,
  ...more,
});

/** An event held against the first mandate: compliant, or over the first of its limits. */
export const packEvaluation = (
  seq: number,
  result: PackEvaluation['result'] = 'compliant',
  more: Partial<PackEvaluation> = {},
): PackEvaluation => ({
  event_id: packId('evt', seq),
  chain_seq: seq,
  mandate_id: packId('mnd', 1),
  version: 1,
  result,
  constraints: [
    {
      type: 'payment.amount_range',
      result,
      ...(result === 'breach' && { code: 'amount_above_max' }),
      observed: result === 'breach' ? '64900' : '100',
      limit: '50000',
    },
    { type: 'payment.budget', result: 'compliant', observed: '120000', limit: '200000', remaining: '80000' },
  ],
  at: timestamp(BEGIN + seq * HOUR + MINUTE),
  superseded: false,
  ...more,
});

export const packAlert = (number: number, seqs: readonly number[], more: Partial<PackAlert> = {}): PackAlert => ({
  id: packId('alr', number),
  agent_id: packId('agt', 1),
  detector: 'duplicate_payment',
  severity: 'high',
  title: 'Hotel 1 was paid twice within 10 min',
  explanation: 'The same agent paid the same payee the same amount twice: 48.00 USD at 10:00 and at 10:04.',
  event_ids: seqs.map(seq => packId('evt', seq)),
  score: 70,
  state: 'open',
  case_id: null,
  created_at: timestamp(BEGIN + (seqs[0] ?? 0) * HOUR + 2 * MINUTE),
  actions: [],
  evidence: packAlertEvidence(seqs.map(seq => packId('evt', seq))),
  ...more,
});

export const packScreening = (payee: number, more: Partial<PackScreening> = {}): PackScreening => ({
  id: packId('scr', payee),
  state: 'clear',
  payee_id: packId('pye', payee),
  query: {
    key: `domain:hotel-${payee}.example.com`,
    name: `Hotel ${payee}`,
    type: 'merchant',
    country: 'DE',
    aliases: [],
    date_of_birth: null,
    wallets: [],
    identifiers: [],
  },
  score: 0,
  threshold: 0.85,
  matches: [],
  allowed_by: null,
  lists: [{ name: 'ofac', version: 3, loaded_at: timestamp(BEGIN - DAY), stale: false }],
  error: null,
  created_at: timestamp(BEGIN + HOUR),
  created_by: null,
  updated_at: timestamp(BEGIN + HOUR),
  reviewed_at: null,
  reviewed_by: null,
  decision: null,
  reason: null,
  ...more,
});

/** A match of a screening with an entry of a list. */
export const packMatch = (number: number, more: Partial<PackScreening['matches'][number]> = {}) => ({
  id: packId('mtc', number),
  list: 'ofac',
  entry_id: String(12_000 + number),
  name: 'SEEBLICK TRADING LLC',
  matched_name: 'SEEBLICK TRADING LLC',
  score: 0.9312,
  match_type: 'name' as const,
  features: {
    name_score: 0.94,
    tokens: [],
    unmatched_query: [],
    unmatched_entry: [],
    modifiers: [],
    key: null,
    entry_type: 'organization' as const,
    birth_dates: [],
    weak_alias: false,
    list_version: 3,
  },
  programs: ['SDGT'],
  countries: ['AE'],
  decision: null,
  ...more,
});
