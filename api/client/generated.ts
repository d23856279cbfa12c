/**
 * Agent Payment Oversight Service
 * 1.0.0
 * DO NOT MODIFY - This file has been generated using oazapfts.
 * See https://www.npmjs.com/package/oazapfts
 */
import * as Oazapfts from "@oazapfts/runtime";
import * as QS from "@oazapfts/runtime/query";
export const defaults: Oazapfts.Defaults<Oazapfts.CustomHeaders> = {
    headers: {},
    baseUrl: "http://127.0.0.1:3000"
};
const oazapfts = Oazapfts.runtime(defaults);
export const servers = {
    server1: "http://127.0.0.1:3000"
};
export type Rail = "card" | "ach" | "sepa" | "wire" | "rtp" | "fps" | "pix" | "upi" | "x402" | "stablecoin" | "lightning" | "wallet" | "credits" | "other";
export type PaymentStatus = "pending" | "authorized" | "settled" | "failed" | "canceled" | "refunded" | "partially_refunded" | "disputed";
export type EventType = "payment.requested" | "payment.authorized" | "payment.settled" | "payment.failed" | "payment.canceled" | "payment.refunded" | "payment.disputed";
export type Asset = {
    network: string;
    address: string;
    "symbol"?: string;
    decimals?: number;
};
export type Amount = {
    /** decimal integer in minor or atomic units */
    value: string;
    unit: "minor" | "atomic";
    /** ISO 4217 code, with unit `minor` */
    currency?: string;
    asset?: Asset;
};
export type PayeeType = "merchant" | "business" | "individual" | "wallet" | "agent" | "unknown";
export type EventPayee = {
    key: string;
    "type"?: PayeeType;
    name?: string;
    country?: string;
};
export type Payment = {
    payment_id: string;
    rail: Rail;
    status: PaymentStatus;
    amount: Amount;
    /** US cents; null when the amount cannot be priced */
    amount_usd_minor: string | null;
    payee: EventPayee;
};
export type VerificationResult = "verified" | "failed" | "inconclusive";
export type VerificationSummary = {
    result: VerificationResult;
    kind: string;
};
export type MandateResult = "compliant" | "breach" | "unresolved";
export type MandateEvaluationSummary = {
    result: MandateResult;
    mandate_id: string;
};
export type Event = {
    id: string;
    "type": EventType;
    environment: "sandbox" | "production";
    occurred_at: string;
    received_at: string;
    source_id: string;
    agent_id: string;
    owner_id: string;
    payee_id: string | null;
    chain_seq: number;
    payment: Payment;
    evidence_count: number;
    verification: VerificationSummary | null;
    mandate_evaluation: MandateEvaluationSummary | null;
};
export type EventPage = {
    data: Event[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type ErrorDetail = {
    /** RFC 6901 pointer into the body, or `query.<name>`, `header.<name>` */
    path: string;
    code: string;
    message: string;
};
export type ErrorBody = {
    error: {
        code: string;
        message: string;
        details?: ErrorDetail[];
    };
    request_id: string;
};
export type AgentInput = {
    /** Your own id of the agent; the service's id is derived from it at first sight.; one line, without control characters */
    external_id: string;
    /** one line, without control characters */
    name?: string;
    /** one line, without control characters */
    framework?: string;
    /** one line, without control characters */
    model?: string;
};
export type CountryCode = "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
export type OwnerInput = {
    /** Your own id of the person or company the agent acts for.; one line, without control characters */
    external_id: string;
    /** one line, without control characters */
    name?: string;
    country?: CountryCode;
};
export type CurrencyCode = "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
export type AmountInput = {
    /** Decimal integer in minor or atomic units, at most 2^256−1. */
    value: string;
    unit: "minor";
    currency: CurrencyCode;
} | {
    /** Decimal integer in minor or atomic units, at most 2^256−1. */
    value: string;
    unit: "atomic";
    asset: {
        /** CAIP-2 chain id such as eip155:8453; x402 v1 names such as base are mapped to it.; one line, without control characters */
        network: string;
        /** Token contract or mint. EVM addresses in any case; the EIP-55 checksum must be right in mixed case. */
        address: string;
        /** one line, without control characters */
        "symbol"?: string;
        /** Must agree with the asset registry when the asset is known. */
        decimals?: number;
    };
};
export type PayeeInput = {
    /** Stable identity: eip155:8453:0x…, solana:<genesis>:…, domain:api.example.com, iban:…, merchant:<psp>:<id> or agent:<id>. */
    key: string;
    "type"?: PayeeType;
    /** one line, without control characters */
    name?: string;
    country?: CountryCode;
};
export type PaymentInput = {
    /** The same for every event of one payment.; one line, without control characters */
    payment_id: string;
    rail: Rail;
    status: PaymentStatus;
    amount: AmountInput;
    payee: PayeeInput;
};
export type EvidenceInput = {
    /** What it is. Kinds known to verifiers are read by them; any other dotted kind is stored. */
    kind: string;
    /** The evidence itself, at most 64 KB (65,536 bytes). An object is measured and hashed in its canonical form (RFC 8785). */
    value: string | {
        [key: string]: unknown;
    };
    media_type?: string;
    /** How a string value stands for bytes; utf8 when left out. base64 is RFC 4648 §4 with padding. */
    encoding?: "utf8" | "base64";
    /** A name for people. */
    label?: string;
};
export type InstrumentInput = {
    /** one line, without control characters */
    "type"?: string;
    /** Token or reference at the payment service; never a card number. */
    id?: string;
    last4?: string;
};
export type FailureInput = {
    /** one line, without control characters */
    code?: string;
    /** without control characters other than tab and line break */
    message?: string;
};
export type ContextInput = {
    /** one line, without control characters */
    run_id?: string;
    /** one line, without control characters */
    conversation_id?: string;
    /** one line, without control characters */
    tool_name?: string;
    /** Two payments for one tool call look like a double payment. */
    tool_call_id?: string;
    /** one line, without control characters */
    trace_id?: string;
    parent_event_id?: string;
    /** Counts retries of the same step. */
    attempt?: number;
    /** Whether a person confirmed this payment. */
    human_present?: boolean;
};
export type EventInput = {
    /** Made by the client; the idempotency key. The same id with the same content is a duplicate. */
    id: string;
    "type": EventType;
    /** RFC 3339 with any offset, kept as UTC milliseconds; at most 5 minutes ahead and EVENT_MAX_AGE_DAYS old. */
    occurred_at: string;
    /** A registered source; the key's default source when left out. */
    source_id?: string;
    agent: AgentInput;
    owner: OwnerInput;
    payment: PaymentInput;
    /** The mandate to judge by; the agent's active mandates when left out. */
    mandate_id?: string;
    evidence?: EvidenceInput[];
    /** Detached JWS (RFC 7515 appendix F) over the canonical form (RFC 8785) of the event without this member. */
    signature?: string;
    /** without control characters other than tab and line break */
    description?: string;
    /** What was paid for: an absolute URL, such as https://api.example.com/v1/weather or mcp://server/tool. */
    resource_url?: string;
    /** Merchant category code (ISO 18245), four digits. */
    category?: string;
    instrument?: InstrumentInput;
    failure?: FailureInput;
    context?: ContextInput;
    /** Your own data: at most 50 members and 16 KB (16,384 bytes). */
    metadata?: {
        [key: string]: unknown;
    };
} | {
    /** Made by the client; the idempotency key. The same id with the same content is a duplicate. */
    id: string;
    "type": EventType;
    /** RFC 3339 with any offset, kept as UTC milliseconds; at most 5 minutes ahead and EVENT_MAX_AGE_DAYS old. */
    occurred_at: string;
    /** A registered source; the key's default source when left out. */
    source_id?: string;
    agent: AgentInput;
    /** Registered at first sight. Either this or owner. */
    owner_id: string;
    payment: PaymentInput;
    /** The mandate to judge by; the agent's active mandates when left out. */
    mandate_id?: string;
    evidence?: EvidenceInput[];
    /** Detached JWS (RFC 7515 appendix F) over the canonical form (RFC 8785) of the event without this member. */
    signature?: string;
    /** without control characters other than tab and line break */
    description?: string;
    /** What was paid for: an absolute URL, such as https://api.example.com/v1/weather or mcp://server/tool. */
    resource_url?: string;
    /** Merchant category code (ISO 18245), four digits. */
    category?: string;
    instrument?: InstrumentInput;
    failure?: FailureInput;
    context?: ContextInput;
    /** Your own data: at most 50 members and 16 KB (16,384 bytes). */
    metadata?: {
        [key: string]: unknown;
    };
} | {
    /** Made by the client; the idempotency key. The same id with the same content is a duplicate. */
    id: string;
    "type": EventType;
    /** RFC 3339 with any offset, kept as UTC milliseconds; at most 5 minutes ahead and EVENT_MAX_AGE_DAYS old. */
    occurred_at: string;
    /** A registered source; the key's default source when left out. */
    source_id?: string;
    /** Made by the client, registered at first sight. Either this or agent. */
    agent_id: string;
    owner: OwnerInput;
    payment: PaymentInput;
    /** The mandate to judge by; the agent's active mandates when left out. */
    mandate_id?: string;
    evidence?: EvidenceInput[];
    /** Detached JWS (RFC 7515 appendix F) over the canonical form (RFC 8785) of the event without this member. */
    signature?: string;
    /** without control characters other than tab and line break */
    description?: string;
    /** What was paid for: an absolute URL, such as https://api.example.com/v1/weather or mcp://server/tool. */
    resource_url?: string;
    /** Merchant category code (ISO 18245), four digits. */
    category?: string;
    instrument?: InstrumentInput;
    failure?: FailureInput;
    context?: ContextInput;
    /** Your own data: at most 50 members and 16 KB (16,384 bytes). */
    metadata?: {
        [key: string]: unknown;
    };
} | {
    /** Made by the client; the idempotency key. The same id with the same content is a duplicate. */
    id: string;
    "type": EventType;
    /** RFC 3339 with any offset, kept as UTC milliseconds; at most 5 minutes ahead and EVENT_MAX_AGE_DAYS old. */
    occurred_at: string;
    /** A registered source; the key's default source when left out. */
    source_id?: string;
    /** Made by the client, registered at first sight. Either this or agent. */
    agent_id: string;
    /** Registered at first sight. Either this or owner. */
    owner_id: string;
    payment: PaymentInput;
    /** The mandate to judge by; the agent's active mandates when left out. */
    mandate_id?: string;
    evidence?: EvidenceInput[];
    /** Detached JWS (RFC 7515 appendix F) over the canonical form (RFC 8785) of the event without this member. */
    signature?: string;
    /** without control characters other than tab and line break */
    description?: string;
    /** What was paid for: an absolute URL, such as https://api.example.com/v1/weather or mcp://server/tool. */
    resource_url?: string;
    /** Merchant category code (ISO 18245), four digits. */
    category?: string;
    instrument?: InstrumentInput;
    failure?: FailureInput;
    context?: ContextInput;
    /** Your own data: at most 50 members and 16 KB (16,384 bytes). */
    metadata?: {
        [key: string]: unknown;
    };
};
export type EventBatch = {
    events: EventInput[];
};
export type IngestResult = {
    index: number;
    /** null when the event has no readable id */
    id: string | null;
    status: "accepted" | "duplicate" | "conflict" | "rejected";
    chain_seq?: number;
    received_at?: string;
    error?: {
        code: string;
        message: string;
        details?: ErrorDetail[];
    };
};
export type IngestBatchResult = {
    results: IngestResult[];
    accepted: number;
    duplicates: number;
    conflicts: number;
    rejected: number;
};
export type ConstraintVerdict = {
    "type": string;
    result: MandateResult;
    code?: string;
    observed: string | null;
    limit: string | null;
    remaining?: string;
    /** observed ÷ limit, where it is a limit of amount or count */
    over?: number;
};
export type MandateEvaluation = {
    mandate_id: string;
    /** of the mandate; 0 where there is no such mandate */
    version: number;
    result: MandateResult;
    constraints: ConstraintVerdict[];
    /** when it was evaluated */
    at: string;
};
export type Evidence = {
    id: string;
    kind: string;
    media_type: string | null;
    encoding: "utf8" | "base64";
    label: string | null;
    sha256: string;
    /** text or object as sent; null when it was erased */
    value: unknown;
};
export type VerificationCheck = {
    name: string;
    result: "pass" | "fail" | "skip";
    /** why it failed or could not be done */
    code?: string;
    detail?: string;
};
export type VerificationRun = {
    id: string;
    event_id: string;
    /** null: the signature of the event itself */
    evidence_id: string | null;
    kind: string;
    result: VerificationResult;
    checks: VerificationCheck[];
    verifier_version: string;
    at: string;
};
export type EventDetail = {
    id: string;
    "type": EventType;
    environment: "sandbox" | "production";
    occurred_at: string;
    received_at: string;
    source_id: string;
    agent_id: string;
    owner_id: string;
    payee_id: string | null;
    chain_seq: number;
    payment: Payment;
    evidence_count: number;
    verification: VerificationSummary | null;
    /** the worst of `mandate_evaluations` */
    mandate_evaluation: MandateEvaluation | null;
    mandate_id: string | null;
    description: string | null;
    resource_url: string | null;
    category: string | null;
    /** as sent; null when it was not */
    instrument: {
        [key: string]: unknown;
    } | {
        [key: string]: unknown;
    };
    /** as sent; null when it was not */
    failure: {
        [key: string]: unknown;
    } | {
        [key: string]: unknown;
    };
    /** as sent; null when it was not */
    context: {
        [key: string]: unknown;
    } | {
        [key: string]: unknown;
    };
    /** as sent; null when it was not */
    metadata: {
        [key: string]: unknown;
    } | {
        [key: string]: unknown;
    };
    signature: string | null;
    /** when detection went through it; null until then */
    analyzed_at: string | null;
    event_digest: string;
    leaf_hash: string;
    evidence: Evidence[];
    /** what holds of each piece of evidence */
    verification_runs: VerificationRun[];
    /** against each mandate that applies, constraint by constraint; the worst first */
    mandate_evaluations: MandateEvaluation[];
    /** the event as it was sent, normalised, each evidence value replaced by its SHA-256: event_digest is the SHA-256 of its RFC 8785 form */
    input: {
        [key: string]: unknown;
    };
};
export type VerificationPreview = {
    kind: string;
    result: VerificationResult;
    checks: VerificationCheck[];
    verifier_version: string;
};
export type MandateEvaluationPreview = {
    mandate_id: string;
    /** of the mandate; 0 where there is no such mandate */
    version: number;
    result: MandateResult;
    constraints: ConstraintVerdict[];
};
export type ValidationResult = {
    index: number;
    id: string | null;
    valid: boolean;
    errors: ErrorDetail[];
    warnings: ErrorDetail[];
    /** the event as it would be stored */
    normalized: {
        [key: string]: unknown;
    } | {
        [key: string]: unknown;
    };
    /** what its evidence would come to */
    verification: VerificationSummary | null;
    verification_runs: VerificationPreview[];
    /** what its mandates would say: the worst of them */
    mandate_evaluation: MandateEvaluationPreview | null;
    mandate_evaluations: MandateEvaluationPreview[];
};
export type ValidationResults = {
    results: ValidationResult[];
};
export type AgentLabel = string;
export type Agent = {
    id: string;
    external_id: string | null;
    name: string | null;
    /** the owner it had when it was first seen */
    owner_id: string;
    framework: string | null;
    model: string | null;
    labels: AgentLabel[];
    /** dormant: no event was received for 30 days */
    state: "active" | "dormant";
    first_seen_at: string;
    /** when the latest analysed event of it was received */
    last_seen_at: string;
    /** events that were analysed */
    event_count: number;
    /** US cents spent in the last 30 days (UTC), today included, as far as it could be priced */
    spend_usd_minor_30d: string;
    /** alerts that are open, acknowledged or escalated */
    open_alerts: number;
};
export type AgentPage = {
    data: Agent[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type AgentSummary = {
    /** 30 days, oldest first */
    by_day: {
        day: string;
        /** payments that started, whatever became of them */
        payments: number;
        /** US cents, as far as it could be priced */
        spend_usd_minor: string;
    }[];
    /** by spend, the most first */
    by_rail: {
        rail: Rail;
        /** payments that started, whatever became of them */
        payments: number;
        /** US cents, as far as it could be priced */
        spend_usd_minor: string;
    }[];
    /** the 20 with the most spend */
    by_payee: {
        payee_id: string;
        key: string;
        name: string | null;
        /** payments that started, whatever became of them */
        payments: number;
        /** US cents, as far as it could be priced */
        spend_usd_minor: string;
    }[];
    /** events by the result of their verification */
    verification: {
        verified: number;
        failed: number;
        inconclusive: number;
        none: number;
    };
    /** events by the result of their mandate evaluation */
    mandates: {
        compliant: number;
        breach: number;
        unresolved: number;
        none: number;
    };
};
export type LabelChange = {
    add?: AgentLabel[];
    remove?: AgentLabel[];
};
export type Owner = {
    id: string;
    external_id: string | null;
    name: string | null;
    /** ISO 3166-1 alpha-2 */
    country: string | null;
    /** agents first seen with this owner of which an event was analysed */
    agent_count: number;
    first_seen_at: string;
    /** when the latest analysed event that names it was received */
    last_seen_at: string;
};
export type OwnerPage = {
    data: Owner[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type ScreeningState = "pending" | "clear" | "potential_match" | "confirmed_match" | "false_positive" | "error";
export type Payee = {
    id: string;
    /** its stable identity */
    key: string;
    "type": PayeeType | null;
    name: string | null;
    /** ISO 3166-1 alpha-2 */
    country: string | null;
    /** former names, the oldest first, at most 20 */
    aliases: string[];
    screening_state: ScreeningState;
    /** its latest screening */
    screening_id: string | null;
    first_seen_at: string;
    /** when the latest analysed event that names it was received */
    last_seen_at: string;
    /** agents that have paid it */
    agent_count: number;
    /** events that were analysed */
    event_count: number;
};
export type PayeePage = {
    data: Payee[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type Source = {
    id: string;
    name: string;
    kind: "sdk" | "psp_webhook" | "facilitator" | "mcp_proxy" | "import" | "other";
    description: string | null;
    /** RFC 7638 thumbprint of the public key */
    key_thumbprint: string | null;
    state: "active" | "disabled";
    created_at: string;
    last_event_at: string | null;
};
export type SourcePage = {
    data: Source[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewSource = {
    /** one line, without control characters */
    name: string;
    kind: "sdk" | "psp_webhook" | "facilitator" | "mcp_proxy" | "import" | "other";
    description?: string | null;
    /** public key as a JWK (RFC 7517); verifies the `signature` of events from this source */
    public_key?: {
        kty: "EC" | "OKP" | "RSA";
        crv?: string;
        alg?: string;
        [key: string]: unknown;
    } | {
        [key: string]: unknown;
    };
    psp_scheme?: ("stripe" | "standard_webhooks" | "adyen" | "generic") | null;
    psp_config?: {
        /** which header has the signature */
        header: string;
        /** which has the time; found beside the signature when left out */
        timestamp_header?: string;
        id_header?: string;
        algorithm: "sha256" | "sha512" | "sha1";
        encoding: "hex" | "base64";
        /** template over {timestamp}, {id} and {body} */
        signed_string: string;
    } | null;
    /** write-only; encrypted at rest */
    signing_secret?: string | null;
};
export type SourceChange = {
    /** one line, without control characters */
    name?: string;
    kind?: "sdk" | "psp_webhook" | "facilitator" | "mcp_proxy" | "import" | "other";
    description?: string | null;
    public_key?: {
        kty: "EC" | "OKP" | "RSA";
        crv?: string;
        alg?: string;
        [key: string]: unknown;
    } | null;
    psp_scheme?: ("stripe" | "standard_webhooks" | "adyen" | "generic") | null;
    psp_config?: {
        /** which header has the signature */
        header: string;
        /** which has the time; found beside the signature when left out */
        timestamp_header?: string;
        id_header?: string;
        algorithm: "sha256" | "sha512" | "sha1";
        encoding: "hex" | "base64";
        /** template over {timestamp}, {id} and {body} */
        signed_string: string;
    } | null;
    /** write-only; encrypted at rest */
    signing_secret?: string | null;
    state?: "active" | "disabled";
};
export type AlertAction = {
    id: string;
    action: "acknowledge" | "escalate" | "resolve" | "dismiss" | "reopen" | "comment";
    reason: string | null;
    /** `usr_…`, `key_…`, or null: the system */
    actor_id: string | null;
    at: string;
};
export type Alert = {
    id: string;
    agent_id: string;
    detector: string;
    severity: "low" | "medium" | "high" | "critical";
    title: string;
    explanation: string;
    /** newest first, at most 100 */
    event_ids: string[];
    score: number;
    state: "open" | "acknowledged" | "escalated" | "resolved" | "dismissed";
    case_id: string | null;
    created_at: string;
    actions: AlertAction[];
};
export type AlertPage = {
    data: Alert[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewAlertAction = {
    action: "acknowledge" | "escalate" | "resolve" | "dismiss" | "reopen" | "comment";
    /** required to dismiss and to comment */
    reason?: string;
};
export type Detector = {
    name: string;
    /** what it looks for */
    about: string;
    /** `event`: it judges events as they come. `time`: it finds what does not come in time */
    kind: "event" | "time";
    enabled: boolean;
    shadow: boolean;
    /** every parameter, as it judges by them now */
    params: {
        [key: string]: unknown;
    };
    /** every parameter where an organization has set nothing */
    defaults: {
        [key: string]: unknown;
    };
    /** JSON Schema of `params` as PUT takes them */
    params_schema: {
        [key: string]: unknown;
    };
    severity_floor: "low" | "medium" | "high" | "critical";
    cooldown_s: number;
    /** null: nobody has set it */
    updated_at: string | null;
};
export type DetectorPage = {
    data: Detector[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type DetectorSettings = {
    /** whether it judges; by default true, for `unmandated_payment` false */
    enabled?: boolean;
    /** record what it finds, and raise no alert */
    shadow?: boolean;
    /** parameters by name; those left out have their default */
    params?: {
        [key: string]: unknown;
    };
    /** what is less grave raises no alert; it is recorded like the findings of a detector in shadow */
    severity_floor?: "low" | "medium" | "high" | "critical";
    /** how long after an alert is closed its like is not raised again, in seconds */
    cooldown_s?: number;
};
export type ShadowFinding = {
    id: string;
    detector: string;
    agent_id: string;
    /** the event with the highest score */
    event_id: string;
    /** what it is about besides the agent; empty: nothing further */
    subject: string;
    /** the detector was in shadow, or the severity below its `severity_floor` */
    reason: "shadow" | "below_floor";
    severity: "low" | "medium" | "high" | "critical";
    score: number;
    title: string;
    explanation: string;
    /** how often it was found on that day (UTC) */
    hits: number;
    created_at: string;
    last_at: string;
};
export type ShadowFindingPage = {
    data: ShadowFinding[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type DetectorQuality = {
    detector: string;
    "from": string;
    to: string;
    /** alerts created in that time, by the state they are in now */
    alerts: number;
    open: number;
    acknowledged: number;
    escalated: number;
    resolved: number;
    dismissed: number;
    /** resolved ÷ (resolved + dismissed); null while none is closed */
    precision: number | null;
    /** from an alert to its being closed; null while none is closed */
    median_hours_to_close: number | null;
    /** events that occurred in the hours of that time, as far as they were analysed */
    events: number;
    /** null where there was no event */
    alerts_per_10000_events: number | null;
    /** what was kept back: the detector in shadow, or below its floor */
    shadow_findings: number;
};
export type NewBacktest = {
    /** events that occurred at this time or later */
    "from": string;
    /** and before this time, at most 400 days later */
    to: string;
    /** what PUT would set; left out: the parameters that the detector has now */
    params?: {
        [key: string]: unknown;
    };
};
export type BacktestFinding = {
    agent_id: string;
    event_id: string;
    subject: string;
    score: number;
    severity: "low" | "medium" | "high" | "critical";
    title: string;
    explanation: string;
    /** how often it was found */
    hits: number;
};
export type BacktestDetail = {
    id: string;
    detector: string;
    "from": string;
    to: string;
    /** every parameter it judges by */
    params: {
        [key: string]: unknown;
    };
    state: "queued" | "running" | "done" | "failed";
    /** how much is gone through; of one that has failed, how far it got */
    progress: number;
    /** events of that time that were judged */
    events: number;
    /** what would have been alerts: of one agent and subject, what is found within the cooldown of the detector is one */
    findings: number;
    /** null while no event was judged */
    alerts_per_10000_events: number | null;
    /** there were more events than a back-test goes through */
    truncated: boolean;
    error: string | null;
    created_at: string;
    created_by: string | null;
    started_at: string | null;
    finished_at: string | null;
    /** the findings with the highest scores, best first */
    sample: BacktestFinding[];
};
export type Backtest = {
    id: string;
    detector: string;
    "from": string;
    to: string;
    /** every parameter it judges by */
    params: {
        [key: string]: unknown;
    };
    state: "queued" | "running" | "done" | "failed";
    /** how much is gone through; of one that has failed, how far it got */
    progress: number;
    /** events of that time that were judged */
    events: number;
    /** what would have been alerts: of one agent and subject, what is found within the cooldown of the detector is one */
    findings: number;
    /** null while no event was judged */
    alerts_per_10000_events: number | null;
    /** there were more events than a back-test goes through */
    truncated: boolean;
    error: string | null;
    created_at: string;
    created_by: string | null;
    started_at: string | null;
    finished_at: string | null;
};
export type BacktestPage = {
    data: Backtest[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewScreening = unknown;
export type ScreenedType = "merchant" | "business" | "individual" | "wallet" | "agent" | "unknown" | "person" | "organization" | "vessel" | "aircraft";
export type ScreeningQuery = {
    key: string | null;
    name: string | null;
    "type": ScreenedType | null;
    /** ISO 3166-1 alpha-2 */
    country: string | null;
    aliases: string[];
    /** as precise as it was given: `1957`, `1957-03`, `1957-03-10` */
    date_of_birth: string | null;
    wallets: {
        network: string | null;
        address: string;
    }[];
    identifiers: {
        "type": "domain" | "email" | "bic" | "iban" | "lei" | "imo" | "document" | "other";
        value: string;
    }[];
};
export type MatchFeatures = {
    /** of the names before the modifiers; null: an exact identifier matched */
    name_score: number | null;
    tokens: {
        query: string;
        entry: string;
        reason: string;
        similarity: number;
        /** how much of the whole name the word is */
        weight: number;
    }[];
    unmatched_query: string[];
    unmatched_entry: string[];
    /** what was added to or taken from the score, and why */
    modifiers: {
        name: string;
        points: number;
        detail: string;
    }[];
    /** the exact identifier that matched */
    key: {
        "type": string;
        value: string;
        label: string | null;
    } | null;
    entry_type: "person" | "organization" | "vessel" | "aircraft" | "unknown";
    birth_dates: string[];
    /** the publisher says that the name is broad or of low quality */
    weak_alias: boolean;
    list_version: number;
};
export type ScreeningMatch = {
    id: string;
    list: string;
    /** the publisher's own: OFAC's ent_num, the UN's reference number */
    entry_id: string;
    name: string;
    /** which of its names matched */
    matched_name: string;
    /** 1 for an exact identifier */
    score: number;
    match_type: "address" | "identifier" | "name" | "alias";
    features: MatchFeatures;
    programs: string[];
    /** ISO 3166-1 alpha-2 */
    countries: string[];
    /** null while nobody has decided on it; decisions of earlier screenings of the payee are remembered */
    decision: ("true_match" | "false_positive") | null;
};
export type UsedList = {
    name: string;
    /** goes up with each load of something else */
    version: number;
    /** when it was last loaded, or found unchanged at its publisher */
    loaded_at: string;
    /** it was loaded more than 7 days before */
    stale: boolean;
};
export type ScreeningDecision = "true_match" | "false_positive";
export type Screening = {
    id: string;
    state: ScreeningState;
    /** null: it was about nobody who is registered */
    payee_id: string | null;
    query: ScreeningQuery;
    /** of the best match, 0 without one */
    score: number;
    /** from which score on a match counts */
    threshold: number;
    /** one for each entry of a list, the best first */
    matches: ScreeningMatch[];
    /** the entry of an allow list it was found to be: then only exact identifiers match */
    allowed_by: {
        list: string;
        entry_id: string;
        name: string;
    } | null;
    /** what it was made with */
    lists: UsedList[];
    error: string | null;
    created_at: string;
    /** `usr_…`, `key_…`, or null: the system */
    created_by: string | null;
    /** when a later look at the payee last changed it */
    updated_at: string;
    reviewed_at: string | null;
    reviewed_by: string | null;
    decision: ScreeningDecision | null;
    reason: string | null;
};
export type ScreeningAnswer = {
    screening: Screening;
};
export type ScreeningPage = {
    data: Screening[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewReview = {
    decision: ScreeningDecision;
    /** required to dismiss an exact identifier, or a score of 0.95 or more */
    reason?: string;
    /** of the screening as it was read: it is refused where that has changed since */
    updated_at?: string;
};
export type ReviewAnswer = {
    ok: true;
};
export type ScreeningList = {
    name: string;
    /** goes up with each load of something else */
    version: number;
    /** when it was last loaded, or found unchanged at its publisher */
    loaded_at: string;
    /** it was loaded more than 7 days before */
    stale: boolean;
    /** whose files it was loaded from */
    format: string;
    entries: number;
    /** whether others are screened against it too */
    scope: "everyone" | "organization";
};
export type ScreeningListPage = {
    data: ScreeningList[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type CaseStatus = "open" | "investigating" | "closed";
export type CasePriority = "low" | "medium" | "high" | "critical";
export type Case = {
    id: string;
    title: string;
    status: CaseStatus;
    priority: CasePriority;
    assignee_id: string | null;
    /** `usr_…`, `key_…`, or null: the system */
    created_by: string | null;
    created_at: string;
    closed_at: string | null;
    closing_note: string | null;
};
export type CasePage = {
    data: Case[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewCase = {
    /** one line, without control characters */
    title: string;
    priority?: CasePriority;
    /** a member of the organization */
    assignee_id?: string | null;
    alert_ids?: string[];
    event_ids?: string[];
};
export type CaseTimelineEntry = {
    id: string;
    kind: "created";
    /** `usr_…`, `key_…`, or null: the system */
    actor_id: string | null;
    at: string;
} | {
    id: string;
    kind: "status_changed";
    /** `usr_…`, `key_…`, or null: the system */
    actor_id: string | null;
    at: string;
    "from": CaseStatus;
    to: CaseStatus;
    /** the closing note */
    text: string | null;
} | {
    id: string;
    kind: "changed";
    /** `usr_…`, `key_…`, or null: the system */
    actor_id: string | null;
    at: string;
    field: "title" | "priority";
    "from": string;
    to: string;
} | {
    id: string;
    kind: "assigned";
    /** `usr_…`, `key_…`, or null: the system */
    actor_id: string | null;
    at: string;
    "from": string | null;
    to: string | null;
} | {
    id: string;
    kind: "commented";
    /** `usr_…`, `key_…`, or null: the system */
    actor_id: string | null;
    at: string;
    text: string;
} | {
    id: string;
    kind: "linked";
    /** `usr_…`, `key_…`, or null: the system */
    actor_id: string | null;
    at: string;
    alert_ids?: string[];
    event_ids?: string[];
    screening_ids?: string[];
    pack_ids?: string[];
};
export type CaseDetail = {
    id: string;
    title: string;
    status: CaseStatus;
    priority: CasePriority;
    assignee_id: string | null;
    /** `usr_…`, `key_…`, or null: the system */
    created_by: string | null;
    created_at: string;
    closed_at: string | null;
    closing_note: string | null;
    /** Of each kind the 200 that were linked last, newest first. A closed case keeps the link of an alert that went on in another case. */
    links: {
        alert_ids: string[];
        event_ids: string[];
        screening_ids: string[];
        pack_ids: string[];
    };
    /** The latest 1000 things that happened, oldest first. */
    timeline: CaseTimelineEntry[];
};
export type CaseChange = {
    /** one line, without control characters */
    title?: string;
    priority?: CasePriority;
    assignee_id?: string | null;
};
export type NewCaseStatus = {
    status: CaseStatus;
    /** without control characters other than tab and line break */
    closing_note?: string;
};
export type NewCaseComment = {
    /** without control characters other than tab and line break */
    text: string;
};
export type NewCaseLinks = {
    alert_ids?: string[];
    event_ids?: string[];
    screening_ids?: string[];
    pack_ids?: string[];
};
export type PackState = "queued" | "building" | "ready" | "failed" | "expired";
export type PackScope = {
    /** the events of a case and of its alerts */
    case_id?: string;
    /** the events of these alerts */
    alert_ids?: string[];
    event_ids?: string[];
    /** every event of this payment */
    payment_id?: string;
    agent_id?: string;
    "from"?: string;
    to?: string;
};
export type Pack = {
    id: string;
    /** what its report dwells on; the files are the same */
    kind: "evidence_pack" | "agent_activity_report" | "mandate_compliance_report" | "screening_report" | "alert_report";
    title: string | null;
    state: PackState;
    scope: PackScope;
    /** kinds of evidence whose values are left out */
    redact: string[];
    progress: number;
    created_at: string;
    /** `usr_…`, `key_…`, or null: the operator */
    created_by: string | null;
    ready_at: string | null;
    /** until when it is kept; null while it is not ready */
    expires_at: string | null;
    /** of the ZIP */
    size_bytes: number | null;
    /** of the ZIP, in hex */
    sha256: string | null;
    event_count: number;
    /** why it could not be built */
    error: string | null;
};
export type PackPage = {
    data: Pack[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewPack = {
    kind: "evidence_pack" | "agent_activity_report" | "mandate_compliance_report" | "screening_report" | "alert_report";
    title?: string | null;
    scope: {
        /** the events of a case and of its alerts */
        case_id: string;
    } | {
        /** the events of these alerts */
        alert_ids: string[];
    } | {
        event_ids: string[];
    } | {
        /** every event of this payment */
        payment_id: string;
    } | {
        agent_id: string;
        /** events that occurred at this time or later */
        "from": string;
        /** and before this time */
        to: string;
    };
    /** kinds of evidence whose values are left out; their hashes stay */
    redact?: string[];
};
export type PackShare = {
    id: string;
    created_at: string;
    created_by: string | null;
    expires_at: string;
    revoked_at: string | null;
    /** who opened it or downloaded the pack, newest first, at most 20 */
    visits: {
        what: "page" | "download";
        at: string;
        ip: string | null;
        user_agent: string | null;
    }[];
};
export type PackDetail = {
    id: string;
    /** what its report dwells on; the files are the same */
    kind: "evidence_pack" | "agent_activity_report" | "mandate_compliance_report" | "screening_report" | "alert_report";
    title: string | null;
    state: PackState;
    scope: PackScope;
    /** kinds of evidence whose values are left out */
    redact: string[];
    progress: number;
    created_at: string;
    /** `usr_…`, `key_…`, or null: the operator */
    created_by: string | null;
    ready_at: string | null;
    /** until when it is kept; null while it is not ready */
    expires_at: string | null;
    /** of the ZIP */
    size_bytes: number | null;
    /** of the ZIP, in hex */
    sha256: string | null;
    event_count: number;
    /** why it could not be built */
    error: string | null;
    /** links to it, newest first, at most 100 */
    shares: PackShare[];
};
export type NewPackShare = {
    expires_in_days: number;
};
export type NewShare = {
    id: string;
    url: string;
    expires_at: string;
};
export type Checkpoint = {
    /** how many events it covers: those with a chain_seq up to this */
    size: number;
    /** RFC 6962 root over their leaves, in lower-case hex */
    root_hash: string;
    /** what was signed, with the signature (C2SP tlog-checkpoint) */
    note: string;
    created_at: string;
};
export type Log = {
    /** the name of the log in its checkpoints */
    origin: string;
    /** how many events it has: the last `chain_seq` */
    size: number;
    /** up to here detection went through it */
    analyzed_seq: number;
    /** the newest; null before the first was signed */
    checkpoint: Checkpoint | null;
};
export type CheckpointPage = {
    data: Checkpoint[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type InclusionProof = {
    event_id: string;
    chain_seq: number;
    /** `chain_seq` − 1 */
    leaf_index: number;
    /** the bytes of the leaf: RFC 8785 text of position, arrival and digest of the event */
    leaf: string;
    /** SHA-256 over 0x00 and the leaf */
    leaf_hash: string;
    tree_size: number;
    /** the audit path from the leaf upwards (RFC 6962 §2.1.1), in lower-case hex */
    hashes: string[];
    /** what the path leads to */
    checkpoint: Checkpoint;
};
export type ConsistencyProof = {
    "from": number;
    to: number;
    /** RFC 6962 §2.1.2, in lower-case hex; none from 0, or from a size to itself */
    hashes: string[];
};
export type VerifyInput = {
    /** the first event; 1 when left out */
    from_seq?: number;
    /** the last event; the last there is when left out */
    to_seq?: number;
};
export type LogVerification = {
    ok: boolean;
    /** how many events were found sound */
    checked: number;
    /** the first event from which on the log is not what it was; null where it is, or where no event is concerned */
    first_bad_seq: number | null;
    /** what is not as it was, in a sentence */
    reason?: string;
};
export type LogKey = {
    kty: "OKP";
    crv: "Ed25519";
    x: string;
    kid: string;
    alg: "EdDSA";
    use: "sig";
};
export type LogKeys = {
    keys: LogKey[];
};
export type MandateState = "active" | "paused" | "expired" | "revoked" | "exhausted";
export type HumanPresence = "required" | "not_required";
export type Constraint = {
    "type": "payment.amount_range";
    min?: string | number;
    max: string | number;
    currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
    asset?: {
        /** CAIP-2 chain id; x402 v1 names are mapped to it */
        network: string;
        address: string;
    };
} | {
    "type": "payment.budget";
    max: string | number;
    currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
    asset?: {
        /** CAIP-2 chain id; x402 v1 names are mapped to it */
        network: string;
        address: string;
    };
    interval: "per_mandate" | "hourly" | "daily" | "weekly" | "monthly" | "yearly";
    window: "calendar" | "rolling";
    tz: string;
} | {
    "type": "payment.agent_recurrence";
    frequency: "ON_DEMAND" | "DAILY" | "WEEKLY" | "BIWEEKLY" | "MONTHLY" | "QUARTERLY" | "ANNUALLY";
    max_occurrences?: number;
} | {
    "type": "payment.velocity";
    max: number;
    /** seconds, at most 366 days */
    window_s: number;
} | {
    "type": "payment.allowed_payees";
    payees: {
        key?: string;
        /** covers its subdomains */
        domain?: string;
        /** one line, without control characters */
        name?: string;
        website?: string;
        /** the last part of a `merchant:` key; payees of other keys are compared by website, then by name */
        merchant_id?: string;
    }[];
} | {
    "type": "payment.blocked_payees";
    payees: {
        key?: string;
        /** covers its subdomains */
        domain?: string;
        /** one line, without control characters */
        name?: string;
        website?: string;
        /** the last part of a `merchant:` key; payees of other keys are compared by website, then by name */
        merchant_id?: string;
    }[];
} | {
    "type": "payment.allowed_payment_instruments";
    ids: string[];
} | {
    "type": "payment.allowed_pisps";
    ids: string[];
} | {
    "type": "payment.allowed_categories";
    mcc: string[];
} | {
    "type": "payment.blocked_categories";
    mcc: string[];
} | {
    "type": "payment.allowed_rails";
    values: Rail[];
} | {
    "type": "payment.allowed_currencies";
    values: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG")[];
} | {
    "type": "payment.allowed_networks";
    values: string[];
} | {
    "type": "payment.allowed_countries";
    values: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[];
} | {
    "type": "payment.blocked_countries";
    values: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[];
} | {
    "type": "payment.allowed_assets";
    assets: {
        /** CAIP-2 chain id; x402 v1 names are mapped to it */
        network: string;
        address: string;
    }[];
} | {
    "type": "payment.execution_date";
    not_before?: string;
    not_after?: string;
} | {
    "type": "payment.time_of_day";
    days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    "from": string;
    /** not included; when it is before `from`, it is on the day after, and the night counts to the day it began on */
    to: string;
    tz: string;
} | {
    "type": "payment.allowed_resources";
    prefixes: string[];
} | {
    "type": "payment.approval_required";
    above: string | number;
    currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
    asset?: {
        /** CAIP-2 chain id; x402 v1 names are mapped to it */
        network: string;
        address: string;
    };
} | {
    "type": "payment.reference";
    hash: string;
};
export type UnknownConstraint = {
    "type": string;
    [key: string]: unknown;
};
export type Mandate = {
    id: string;
    agent_id: string;
    owner_id: string;
    state: MandateState;
    version: number;
    name: string;
    valid_from: string | null;
    valid_until: string | null;
    human_presence: HumanPresence;
    constraints: (Constraint | UnknownConstraint)[];
    external_ref: string | null;
    source: "native" | "ap2";
    /** of an imported mandate: the constraints as they were signed */
    signed_constraints: {
        [key: string]: unknown;
    }[] | null;
    created_at: string;
    /** `usr_…`, or null: the operator */
    created_by: string | null;
};
export type MandatePage = {
    data: Mandate[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewConstraint = {
    "type": "payment.amount_range";
    min?: string | number;
    max: string | number;
    currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
    asset?: {
        /** CAIP-2 chain id; x402 v1 names are mapped to it */
        network: string;
        address: string;
    };
} | {
    "type": "payment.budget";
    max: string | number;
    currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
    asset?: {
        /** CAIP-2 chain id; x402 v1 names are mapped to it */
        network: string;
        address: string;
    };
    interval: "per_mandate" | "hourly" | "daily" | "weekly" | "monthly" | "yearly";
    window?: "calendar" | "rolling";
    tz?: string;
} | {
    "type": "payment.agent_recurrence";
    frequency: "ON_DEMAND" | "DAILY" | "WEEKLY" | "BIWEEKLY" | "MONTHLY" | "QUARTERLY" | "ANNUALLY";
    max_occurrences?: number;
} | {
    "type": "payment.velocity";
    max: number;
    /** seconds, at most 366 days */
    window_s: number;
} | {
    "type": "payment.allowed_payees";
    payees: {
        key?: string;
        /** covers its subdomains */
        domain?: string;
        /** one line, without control characters */
        name?: string;
        website?: string;
        /** the last part of a `merchant:` key; payees of other keys are compared by website, then by name */
        merchant_id?: string;
    }[];
} | {
    "type": "payment.blocked_payees";
    payees: {
        key?: string;
        /** covers its subdomains */
        domain?: string;
        /** one line, without control characters */
        name?: string;
        website?: string;
        /** the last part of a `merchant:` key; payees of other keys are compared by website, then by name */
        merchant_id?: string;
    }[];
} | {
    "type": "payment.allowed_payment_instruments";
    ids: string[];
} | {
    "type": "payment.allowed_pisps";
    ids: string[];
} | {
    "type": "payment.allowed_categories";
    mcc: string[];
} | {
    "type": "payment.blocked_categories";
    mcc: string[];
} | {
    "type": "payment.allowed_rails";
    values: Rail[];
} | {
    "type": "payment.allowed_currencies";
    values: ("AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG")[];
} | {
    "type": "payment.allowed_networks";
    values: string[];
} | {
    "type": "payment.allowed_countries";
    values: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[];
} | {
    "type": "payment.blocked_countries";
    values: ("AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW")[];
} | {
    "type": "payment.allowed_assets";
    assets: {
        /** CAIP-2 chain id; x402 v1 names are mapped to it */
        network: string;
        address: string;
    }[];
} | {
    "type": "payment.execution_date";
    not_before?: string;
    not_after?: string;
} | {
    "type": "payment.time_of_day";
    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    "from": string;
    /** not included; when it is before `from`, it is on the day after, and the night counts to the day it began on */
    to: string;
    tz?: string;
} | {
    "type": "payment.allowed_resources";
    prefixes: string[];
} | {
    "type": "payment.approval_required";
    above: string | number;
    currency?: "AED" | "AFN" | "ALL" | "AMD" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BOV" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHE" | "CHF" | "CHW" | "CLF" | "CLP" | "CNY" | "COP" | "COU" | "CRC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MXV" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "USN" | "UYI" | "UYU" | "UYW" | "UZS" | "VED" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XOF" | "XPF" | "YER" | "ZAR" | "ZMW" | "ZWG";
    asset?: {
        /** CAIP-2 chain id; x402 v1 names are mapped to it */
        network: string;
        address: string;
    };
} | {
    "type": "payment.reference";
    hash: string;
};
export type NewMandate = {
    /** an agent that is not known yet is registered */
    agent_id: string;
    /** the owner of the agent when left out */
    owner_id?: string;
    /** one line, without control characters */
    name: string;
    valid_from?: string | null;
    /** not included; must be later than valid_from */
    valid_until?: string | null;
    human_presence?: HumanPresence;
    external_ref?: string | null;
    constraints: NewConstraint[];
};
export type MandateChange = {
    /** one line, without control characters */
    name?: string;
    valid_from?: string | null;
    /** not included; must be later than valid_from */
    valid_until?: string | null;
    human_presence?: HumanPresence;
    external_ref?: string | null;
    constraints?: NewConstraint[];
    /** `revoked` is final */
    state?: "active" | "paused" | "revoked";
};
export type LimitUse = {
    /** its place among the constraints of the mandate, from 0 */
    constraint: number;
    "type": string;
    /** the time that counts now: of a rolling window the one that ends now; null: the whole of the mandate */
    period: {
        "from": string;
        /** not included */
        to: string;
    } | null;
    /** money is counted in minor units of it, with their parts */
    currency: string | null;
    /** or in atomic units of it; where neither is given, payments are counted */
    asset: {
        network: string;
        address: string;
    } | null;
    /** by payments that were analysed, less refunds; null where more than 10,000 payments would have to be gone through */
    used: string | null;
    limit: string;
    remaining: string | null;
    /** payments that could not be expressed in the unit: `used` is without them */
    unpriced: number | null;
};
export type MandateUse = {
    mandate_id: string;
    /** the version whose limits these are */
    version: number;
    /** the end of the ten seconds that the answer is for */
    as_of: string;
    limits: LimitUse[];
};
export type MandateVersion = {
    version: number;
    /** as it was set */
    state: "active" | "paused" | "revoked" | "exhausted";
    name: string;
    valid_from: string | null;
    valid_until: string | null;
    human_presence: HumanPresence;
    constraints: (Constraint | UnknownConstraint)[];
    external_ref: string | null;
    /** when this version began */
    created_at: string;
    /** who made it; null: the operator or the system */
    created_by: string | null;
};
export type MandateVersionPage = {
    data: MandateVersion[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type TrustedKeyUse = "ap2_issuer" | "agent" | "source" | "kyapay" | "receipt" | "any";
export type TrustedKey = {
    id: string;
    kid: string;
    use: TrustedKeyUse;
    issuer: string | null;
    kind: "jwk" | "x5c_root";
    /** RFC 7638 thumbprint of the public key */
    thumbprint: string;
    not_before: string | null;
    not_after: string | null;
    created_at: string;
    created_by: string | null;
    revoked_at: string | null;
};
export type TrustedKeyPage = {
    data: TrustedKey[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewTrustedKey = {
    /** what signatures name the key by; the `kid` of the JWK when left out, else its RFC 7638 thumbprint */
    kid?: string;
    use: TrustedKeyUse;
    /** whose key it is; a token of another issuer is not believed */
    issuer?: string;
    /** a public key (RFC 7517) */
    jwk: {
        kty: "EC" | "OKP" | "RSA";
        crv?: string;
        alg?: string;
        [key: string]: unknown;
    };
    not_before?: string;
    /** when left out, a certificate is believed for as long as it is valid, and a key until it is revoked */
    not_after?: string;
} | {
    /** what signatures name the key by; the `kid` of the JWK when left out, else its RFC 7638 thumbprint */
    kid?: string;
    use: TrustedKeyUse;
    /** whose key it is; a token of another issuer is not believed */
    issuer?: string;
    /** a JWK set of 1 to 100 public keys: each becomes a record */
    jwks: {
        keys: {
            kty: "EC" | "OKP" | "RSA";
            crv?: string;
            alg?: string;
            [key: string]: unknown;
        }[];
        [key: string]: unknown;
    };
    not_before?: string;
    /** when left out, a certificate is believed for as long as it is valid, and a key until it is revoked */
    not_after?: string;
} | {
    /** what signatures name the key by; the `kid` of the JWK when left out, else its RFC 7638 thumbprint */
    kid?: string;
    use: TrustedKeyUse;
    /** whose key it is; a token of another issuer is not believed */
    issuer?: string;
    /** a root certificate (PEM): certificate chains that end in it are believed */
    x5c_root: string;
    not_before?: string;
    /** when left out, a certificate is believed for as long as it is valid, and a key until it is revoked */
    not_after?: string;
};
export type Scope = "events:write" | "events:read" | "agents:read" | "alerts:read" | "alerts:write" | "cases:read" | "cases:write" | "packs:write" | "screening:write";
export type ApiKey = {
    id: string;
    name: string;
    env: "test" | "live";
    scopes: Scope[];
    /** first 12 characters of the key, to recognise it */
    prefix: string;
    created_at: string;
    last_used_at: string | null;
    revoked_at: string | null;
    created_by: string | null;
};
export type ApiKeyPage = {
    data: ApiKey[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewApiKey = {
    /** one line, without control characters */
    name: string;
    /** the environment of this deployment: sandbox takes test keys */
    env: "test" | "live";
    scopes?: Scope[];
};
export type CreatedApiKey = {
    id: string;
    name: string;
    env: "test" | "live";
    scopes: Scope[];
    /** first 12 characters of the key, to recognise it */
    prefix: string;
    created_at: string;
    last_used_at: string | null;
    revoked_at: string | null;
    created_by: string | null;
    /** the full key; shown this once */
    key: string;
};
export type Role = "developer" | "admin" | "owner";
export type Member = {
    id: string;
    email: string;
    name: string | null;
    role: Role;
    /** since when they are a member */
    created_at: string;
    /** who added them; null: the operator */
    created_by: string | null;
    /** whether they have enrolled one */
    second_factor: boolean;
};
export type MemberPage = {
    data: Member[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type NewMember = {
    email: string;
    role: Role;
    /** one line, without control characters */
    name?: string;
};
export type MemberChange = {
    role: Role;
};
export type AuditRecord = {
    id: string;
    /** such as `key.created` */
    action: string;
    /** `usr_…`, `key_…`, or null: the operator */
    actor_id: string | null;
    target_id: string | null;
    before: {
        [key: string]: unknown;
    } | {
        [key: string]: unknown;
    };
    after: {
        [key: string]: unknown;
    } | {
        [key: string]: unknown;
    };
    request_id: string | null;
    at: string;
};
export type AuditRecordPage = {
    data: AuditRecord[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type StatsBucket = {
    /** when the hour or day begins (UTC) */
    at: string;
    /** events that occurred, as far as they were analysed */
    events: number;
    /** payments that started, whatever became of them */
    payments: number;
    /** US cents, in the bucket in which each payment was first paid */
    spend_usd_minor: string;
    /** alerts that were created */
    alerts: number;
    /** those of them that tell of a mandate breach */
    breaches: number;
};
export type Stats = {
    bucket: "hour" | "day";
    /** where the first bucket begins */
    "from": string;
    /** where the last bucket ends */
    to: string;
    /** oldest first, those in which nothing happened too */
    data: StatsBucket[];
};
export type WebhookEndpoint = {
    id: string;
    url: string;
    state: "active" | "disabled";
    created_at: string;
};
export type WebhookEndpointPage = {
    data: WebhookEndpoint[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type WebhookAttempt = {
    /** 1 to 5 */
    "number": number;
    /** goes up with every replay */
    generation: number;
    at: string;
    outcome: "delivered" | "refused" | "failed" | "blocked";
    /** HTTP status; null when there was no answer */
    status: number | null;
    error: string | null;
    ms: number;
    /** the first 4 KB of the answer */
    response: string | null;
};
export type WebhookDelivery = {
    id: string;
    endpoint_id: string;
    "type": "alert.created" | "screening.potential_match" | "pack.ready";
    state: "pending" | "delivered" | "refused" | "failed" | "canceled";
    /** attempts since it was made or last replayed */
    attempt_count: number;
    created_at: string;
    finished_at: string | null;
    attempts: WebhookAttempt[];
};
export type WebhookDeliveryPage = {
    data: WebhookDelivery[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type SignIn = {
    email: string;
};
export type Nothing = {};
export type SignInCode = {
    /** case, spaces and dashes do not matter */
    code: string;
};
export type Session = {
    id: string;
    created_at: string;
    last_seen_at: string;
    /** at the latest; twelve hours without use end it earlier */
    expires_at: string;
    user_agent: string | null;
    /** whether a second factor was shown in this session */
    second_factor: boolean;
    current: boolean;
};
export type Organization = {
    id: string;
    name: string;
};
export type KeyMe = {
    kind: "key";
    organization: Organization;
    environment: "sandbox" | "production";
    scopes: Scope[];
    key: {
        id: string;
        name: string;
        prefix: string;
    };
};
export type User = {
    id: string;
    email: string;
    name: string | null;
};
export type Membership = {
    id: string;
    name: string;
    role: Role;
};
export type SessionMe = {
    kind: "session";
    user: User;
    /** the one this session acts in */
    organization: Organization;
    /** by name; at most 200, that one among them */
    organizations: Membership[];
    role: Role;
    environment: "sandbox" | "production";
    second_factor: {
        /** whether your role needs one here */
        required: boolean;
        enrolled: boolean;
        /** whether one was shown in this session */
        shown: boolean;
    };
};
export type Me = ({
    kind: "key";
} & KeyMe) | ({
    kind: "session";
} & SessionMe);
export type SwitchOrganization = {
    id: string;
};
export type SessionPage = {
    data: Session[];
    /** pass back unchanged as `cursor`; null when there are no more pages */
    next_cursor: string | null;
};
export type Passkey = {
    id: string;
    name: string;
    created_at: string;
    last_used_at: string | null;
};
export type SecondFactor = {
    /** whether your role needs one here */
    required: boolean;
    /** whether one was shown in this session */
    shown: boolean;
    totp: {
        created_at: string;
    } | null;
    passkeys: Passkey[];
    recovery_codes_left: number;
};
export type TotpSecret = {
    /** base32, 160 bits */
    secret: string;
    /** otpauth:// address, to be shown as a QR code */
    uri: string;
};
export type TotpConfirmation = {
    code: string;
};
export type FirstRecoveryCodes = {
    recovery_codes: string[] | null;
};
export type ShownFactor = {
    code: string;
} | {
    recovery_code: string;
};
export type RecoveryCodes = {
    /** ten codes, each good once; shown once */
    recovery_codes: string[];
};
export type PasskeyOptions = {
    challenge: string;
    [key: string]: unknown;
};
export type PasskeyRegistration = {
    id: string;
    rawId: string;
    "type": "public-key";
    response: {
        clientDataJSON: string;
        attestationObject: string;
        transports?: string[];
        [key: string]: unknown;
    };
    clientExtensionResults: {
        [key: string]: unknown;
    };
    [key: string]: unknown;
};
export type NewPasskey = {
    /** one line, without control characters */
    name: string;
    response: PasskeyRegistration;
};
export type PasskeyAssertion = {
    id: string;
    rawId: string;
    "type": "public-key";
    response: {
        clientDataJSON: string;
        authenticatorData: string;
        signature: string;
        userHandle?: string | null;
        [key: string]: unknown;
    };
    clientExtensionResults: {
        [key: string]: unknown;
    };
    [key: string]: unknown;
};
export type ShownPasskey = {
    response: PasskeyAssertion;
};
/**
 * List events, newest first
 */
export function listEvents({ q, agentId, ownerId, payeeId, rail, status, verification, $from, to, limit, cursor, ifNoneMatch }: {
    q?: string;
    agentId?: string;
    ownerId?: string;
    payeeId?: string;
    rail?: Rail;
    status?: PaymentStatus;
    verification?: "verified" | "failed" | "inconclusive" | "none";
    $from?: string;
    to?: string;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EventPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/events${QS.query(QS.explode({
        q,
        agent_id: agentId,
        owner_id: ownerId,
        payee_id: payeeId,
        rail,
        status,
        verification,
        "from": $from,
        to,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Send one event, or a batch of up to 1000
 */
export function sendEvents({ body }: {
    body: EventInput | EventBatch;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: IngestBatchResult | IngestResult;
    } | {
        status: 201;
        data: IngestResult;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/events", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * Read one event with its evidence
 */
export function getEvent({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: EventDetail;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/events/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Check one event or a batch without storing anything
 */
export function validateEvents({ body }: {
    body: EventInput | EventBatch;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ValidationResults;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/events/validate", oazapfts.json({
        ...opts,
        method: "POST",
        body
    }));
}
/**
 * List agents, newest first
 */
export function listAgents({ q, ownerId, label, state, limit, cursor, ifNoneMatch }: {
    q?: string;
    ownerId?: string;
    label?: AgentLabel;
    state?: "active" | "dormant";
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/agents${QS.query(QS.explode({
        q,
        owner_id: ownerId,
        label,
        state,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read one agent
 */
export function getAgent({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Agent;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/agents/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read what an agent did in the last 30 days: by day, rail and payee
 */
export function summarizeAgent({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AgentSummary;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/agents/${encodeURIComponent(id)}/summary`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Add labels to an agent, and remove labels from it
 */
export function labelAgent({ id, idempotencyKey, labelChange }: {
    id: string;
    idempotencyKey?: string;
    labelChange: LabelChange;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Agent;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/agents/${encodeURIComponent(id)}/labels`, oazapfts.json({
        ...opts,
        method: "POST",
        body: labelChange,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List the owners of agents, newest first
 */
export function listOwners({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: OwnerPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/owners${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read one owner
 */
export function getOwner({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Owner;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/owners/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * List payees, newest first
 */
export function listPayees({ q, screeningState, $type, country, limit, cursor, ifNoneMatch }: {
    q?: string;
    screeningState?: ScreeningState;
    $type?: PayeeType;
    country?: "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW";
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PayeePage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/payees${QS.query(QS.explode({
        q,
        screening_state: screeningState,
        "type": $type,
        country,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read one payee
 */
export function getPayee({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Payee;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/payees/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * List the sources that events come from, newest first
 */
export function listSources({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SourcePage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/sources${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Register a source
 */
export function createSource({ idempotencyKey, newSource }: {
    idempotencyKey?: string;
    newSource: NewSource;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Source;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/sources", oazapfts.json({
        ...opts,
        method: "POST",
        body: newSource,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Read one source
 */
export function getSource({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Source;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/sources/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Change a source, or disable it
 */
export function changeSource({ id, sourceChange }: {
    id: string;
    sourceChange: SourceChange;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Source;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/sources/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: sourceChange
    }));
}
/**
 * List alerts, newest first
 */
export function listAlerts({ state, severity, detector, agentId, eventId, caseId, $from, to, limit, cursor, ifNoneMatch }: {
    state?: "open" | "acknowledged" | "escalated" | "resolved" | "dismissed";
    severity?: "low" | "medium" | "high" | "critical";
    detector?: "verification_failed" | "replayed_authorization" | "mandate_breach" | "unmandated_payment" | "budget_threshold" | "velocity_count" | "spend_velocity" | "amount_outlier" | "new_payee_high_amount" | "duplicate_payment" | "runaway_loop" | "failed_payment_burst" | "just_under_limit" | "dormant_agent" | "price_drift" | "country_change" | "payee_fan_out" | "payee_fan_in" | "payee_substitution" | "lookalike_wallet" | "status_conflict" | "sanctions_match" | "settlement_missing" | "silent_source";
    agentId?: string;
    eventId?: string;
    caseId?: string;
    $from?: string;
    to?: string;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AlertPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/alerts${QS.query(QS.explode({
        state,
        severity,
        detector,
        agent_id: agentId,
        event_id: eventId,
        case_id: caseId,
        "from": $from,
        to,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read one alert
 */
export function getAlert({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Alert;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/alerts/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Acknowledge, escalate, resolve, dismiss, reopen or comment on an alert
 */
export function actOnAlert({ id, idempotencyKey, newAlertAction }: {
    id: string;
    idempotencyKey?: string;
    newAlertAction: NewAlertAction;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Alert;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/alerts/${encodeURIComponent(id)}/actions`, oazapfts.json({
        ...opts,
        method: "POST",
        body: newAlertAction,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List every detector with how it is set
 */
export function listDetectors({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DetectorPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/detectors${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read one detector
 */
export function getDetector({ name, ifNoneMatch }: {
    name: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Detector;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/detectors/${encodeURIComponent(name)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Set a detector as a whole
 */
export function setDetector({ name, detectorSettings }: {
    name: string;
    detectorSettings: DetectorSettings;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Detector;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/detectors/${encodeURIComponent(name)}`, oazapfts.json({
        ...opts,
        method: "PUT",
        body: detectorSettings
    }));
}
/**
 * List what a detector found and raised no alert for, newest first
 */
export function listDetectorFindings({ name, limit, cursor, ifNoneMatch }: {
    name: string;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ShadowFindingPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/detectors/${encodeURIComponent(name)}/findings${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read what became of the alerts of a detector
 */
export function getDetectorQuality({ name, $from, to, ifNoneMatch }: {
    name: string;
    $from?: string;
    to?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: DetectorQuality;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/detectors/${encodeURIComponent(name)}/quality${QS.query(QS.explode({
        "from": $from,
        to
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Try a detector on the past, with other parameters
 */
export function createBacktest({ name, idempotencyKey, newBacktest }: {
    name: string;
    idempotencyKey?: string;
    newBacktest: NewBacktest;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: BacktestDetail;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/detectors/${encodeURIComponent(name)}/backtest`, oazapfts.json({
        ...opts,
        method: "POST",
        body: newBacktest,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List back-tests, newest first
 */
export function listBacktests({ detector, limit, cursor, ifNoneMatch }: {
    detector?: "verification_failed" | "replayed_authorization" | "mandate_breach" | "unmandated_payment" | "budget_threshold" | "velocity_count" | "spend_velocity" | "amount_outlier" | "new_payee_high_amount" | "duplicate_payment" | "runaway_loop" | "failed_payment_burst" | "just_under_limit" | "dormant_agent" | "price_drift" | "country_change" | "payee_fan_out" | "payee_fan_in" | "payee_substitution" | "lookalike_wallet" | "status_conflict" | "sanctions_match" | "settlement_missing" | "silent_source";
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: BacktestPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/backtests${QS.query(QS.explode({
        detector,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read one back-test with what it found
 */
export function getBacktest({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: BacktestDetail;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/backtests/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Screen a payee on demand
 */
export function screen({ idempotencyKey, newScreening }: {
    idempotencyKey?: string;
    newScreening: NewScreening;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ScreeningAnswer;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/screen", oazapfts.json({
        ...opts,
        method: "POST",
        body: newScreening,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List screenings, newest first
 */
export function listScreenings({ state, payeeId, $from, to, limit, cursor, ifNoneMatch }: {
    state?: ScreeningState;
    payeeId?: string;
    $from?: string;
    to?: string;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ScreeningPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/screenings${QS.query(QS.explode({
        state,
        payee_id: payeeId,
        "from": $from,
        to,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read one screening
 */
export function getScreening({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Screening;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/screenings/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Decide on the matches of a screening
 */
export function reviewScreening({ id, idempotencyKey, newReview }: {
    id: string;
    idempotencyKey?: string;
    newReview: NewReview;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ReviewAnswer;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/screenings/${encodeURIComponent(id)}/review`, oazapfts.json({
        ...opts,
        method: "POST",
        body: newReview,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List what payees are screened against
 */
export function listScreeningLists({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ScreeningListPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/screening-lists${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * List cases, newest first
 */
export function listCases({ status, priority, assigneeId, agentId, $from, to, limit, cursor, ifNoneMatch }: {
    status?: CaseStatus;
    priority?: CasePriority;
    assigneeId?: string;
    agentId?: string;
    $from?: string;
    to?: string;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CasePage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/cases${QS.query(QS.explode({
        status,
        priority,
        assignee_id: assigneeId,
        agent_id: agentId,
        "from": $from,
        to,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Open a case
 */
export function createCase({ idempotencyKey, newCase }: {
    idempotencyKey?: string;
    newCase: NewCase;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Case;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/cases", oazapfts.json({
        ...opts,
        method: "POST",
        body: newCase,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Read one case with its links and its timeline
 */
export function getCase({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CaseDetail;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/cases/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Change the title, the priority or the assignee of a case
 */
export function changeCase({ id, caseChange }: {
    id: string;
    caseChange: CaseChange;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Case;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/cases/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: caseChange
    }));
}
/**
 * Open, investigate, close or reopen a case
 */
export function changeCaseStatus({ id, idempotencyKey, newCaseStatus }: {
    id: string;
    idempotencyKey?: string;
    newCaseStatus: NewCaseStatus;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Case;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/cases/${encodeURIComponent(id)}/status`, oazapfts.json({
        ...opts,
        method: "POST",
        body: newCaseStatus,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Comment on a case, open or closed
 */
export function commentOnCase({ id, idempotencyKey, newCaseComment }: {
    id: string;
    idempotencyKey?: string;
    newCaseComment: NewCaseComment;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CaseDetail;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/cases/${encodeURIComponent(id)}/comments`, oazapfts.json({
        ...opts,
        method: "POST",
        body: newCaseComment,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Link a case to alerts, events, screenings and packs
 */
export function linkToCase({ id, idempotencyKey, newCaseLinks }: {
    id: string;
    idempotencyKey?: string;
    newCaseLinks: NewCaseLinks;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CaseDetail;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/cases/${encodeURIComponent(id)}/links`, oazapfts.json({
        ...opts,
        method: "POST",
        body: newCaseLinks,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * List packs and reports, newest first
 */
export function listPacks({ state, kind, $from, to, limit, cursor, ifNoneMatch }: {
    state?: PackState;
    kind?: "evidence_pack" | "agent_activity_report" | "mandate_compliance_report" | "screening_report" | "alert_report";
    $from?: string;
    to?: string;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PackPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/packs${QS.query(QS.explode({
        state,
        kind,
        "from": $from,
        to,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Ask for an evidence pack or a report
 */
export function createPack({ idempotencyKey, newPack }: {
    idempotencyKey?: string;
    newPack: NewPack;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: Pack;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/packs", oazapfts.json({
        ...opts,
        method: "POST",
        body: newPack,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Read one pack with its links
 */
export function getPack({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PackDetail;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/packs/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Remove a pack before its time
 */
export function deletePack({ id }: {
    id: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Pack;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/packs/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Download a pack
 */
export function downloadPack({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: unknown;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/packs/${encodeURIComponent(id)}/download`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Make a link to a pack, for people without an account
 */
export function sharePack({ id, idempotencyKey, newPackShare }: {
    id: string;
    idempotencyKey?: string;
    newPackShare: NewPackShare;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: NewShare;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/packs/${encodeURIComponent(id)}/share`, oazapfts.json({
        ...opts,
        method: "POST",
        body: newPackShare,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Revoke a link to a pack
 */
export function revokePackShare({ id, shareId }: {
    id: string;
    shareId: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PackShare;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/packs/${encodeURIComponent(id)}/shares/${encodeURIComponent(shareId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Read how long the log is, and its newest checkpoint
 */
export function getLog({ ifNoneMatch }: {
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Log;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/log", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * List checkpoints, newest first
 */
export function listCheckpoints({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: CheckpointPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/log/checkpoints${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Prove that an event is in the log
 */
export function proveEvent({ eventId, size, ifNoneMatch }: {
    eventId: string;
    size?: number;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: InclusionProof;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/log/proof${QS.query(QS.explode({
        event_id: eventId,
        size
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Prove that the log of one size is the beginning of that of another
 */
export function proveConsistency({ $from, to, ifNoneMatch }: {
    $from: number;
    to: number;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ConsistencyProof;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/log/consistency${QS.query(QS.explode({
        "from": $from,
        to
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read the log again, and check that it is what was stored and signed
 */
export function verifyLog({ verifyInput }: {
    verifyInput: VerifyInput;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LogVerification;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/log/verify", oazapfts.json({
        ...opts,
        method: "POST",
        body: verifyInput
    }));
}
/**
 * Read the public keys that sign checkpoints and packs
 */
export function listLogKeys({ ifNoneMatch }: {
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: LogKeys;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    }>("/v1/keys.json", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * List mandates, newest first
 */
export function listMandates({ agentId, ownerId, state, limit, cursor, ifNoneMatch }: {
    agentId?: string;
    ownerId?: string;
    state?: MandateState;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MandatePage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/mandates${QS.query(QS.explode({
        agent_id: agentId,
        owner_id: ownerId,
        state,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Say what an agent may pay
 */
export function createMandate({ idempotencyKey, newMandate }: {
    idempotencyKey?: string;
    newMandate: NewMandate;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Mandate;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/mandates", oazapfts.json({
        ...opts,
        method: "POST",
        body: newMandate,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Read one mandate
 */
export function getMandate({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Mandate;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/mandates/${encodeURIComponent(id)}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Change, pause, resume or revoke a mandate
 */
export function changeMandate({ id, mandateChange }: {
    id: string;
    mandateChange: MandateChange;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Mandate;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/mandates/${encodeURIComponent(id)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: mandateChange
    }));
}
/**
 * Read how much of the limits of a mandate is used
 */
export function getMandateUse({ id, ifNoneMatch }: {
    id: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MandateUse;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/mandates/${encodeURIComponent(id)}/use`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * List the versions of a mandate, newest first
 */
export function listMandateVersions({ id, limit, cursor, ifNoneMatch }: {
    id: string;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MandateVersionPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/mandates/${encodeURIComponent(id)}/versions${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * List the keys that are believed, and those that were, newest first
 */
export function listTrustedKeys({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TrustedKeyPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/trusted-keys${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Believe a key, a set of keys, or a root certificate
 */
export function addTrustedKey({ idempotencyKey, newTrustedKey }: {
    idempotencyKey?: string;
    newTrustedKey: NewTrustedKey;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: TrustedKey | TrustedKeyPage;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/trusted-keys", oazapfts.json({
        ...opts,
        method: "POST",
        body: newTrustedKey,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Believe a key no longer
 */
export function revokeTrustedKey({ kid }: {
    kid: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: TrustedKey;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/trusted-keys/${encodeURIComponent(kid)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List API keys, revoked ones too, newest first
 */
export function listApiKeys({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ApiKeyPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/api-keys${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Make an API key; it is shown once
 */
export function createApiKey({ idempotencyKey, newApiKey }: {
    idempotencyKey?: string;
    newApiKey: NewApiKey;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: CreatedApiKey;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/api-keys", oazapfts.json({
        ...opts,
        method: "POST",
        body: newApiKey,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Revoke an API key
 */
export function revokeApiKey({ id }: {
    id: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: ApiKey;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/api-keys/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List the members of the organization, who joined last first
 */
export function listMembers({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: MemberPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/members${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Add somebody to the organization
 */
export function addMember({ idempotencyKey, newMember }: {
    idempotencyKey?: string;
    newMember: NewMember;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Member;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/members", oazapfts.json({
        ...opts,
        method: "POST",
        body: newMember,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Give a member another role
 */
export function changeMember({ userId, memberChange }: {
    userId: string;
    memberChange: MemberChange;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Member;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/members/${encodeURIComponent(userId)}`, oazapfts.json({
        ...opts,
        method: "PATCH",
        body: memberChange
    }));
}
/**
 * Remove a member
 */
export function removeMember({ userId }: {
    userId: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Member;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/members/${encodeURIComponent(userId)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * List who changed what, newest first
 */
export function listAuditLog({ action, actorId, targetId, $from, to, limit, cursor, ifNoneMatch }: {
    action?: string;
    actorId?: string;
    targetId?: string;
    $from?: string;
    to?: string;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: AuditRecordPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/audit-log${QS.query(QS.explode({
        action,
        actor_id: actorId,
        target_id: targetId,
        "from": $from,
        to,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Read how much happened, hour by hour or day by day
 */
export function getStats({ $from, to, bucket, ifNoneMatch }: {
    $from?: string;
    to?: string;
    bucket?: "hour" | "day";
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Stats;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/stats${QS.query(QS.explode({
        "from": $from,
        to,
        bucket
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * List the endpoints that webhooks are sent to, newest first
 */
export function listWebhookEndpoints({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookEndpointPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/webhook-endpoints${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * List webhook deliveries with their attempts, newest first
 */
export function listWebhookDeliveries({ state, $type, endpointId, limit, cursor, ifNoneMatch }: {
    state?: "pending" | "delivered" | "refused" | "failed" | "canceled";
    $type?: "alert.created" | "screening.potential_match" | "pack.ready";
    endpointId?: string;
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: WebhookDeliveryPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/webhook-deliveries${QS.query(QS.explode({
        state,
        "type": $type,
        endpoint_id: endpointId,
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Ask for a sign-in link by mail
 */
export function signIn({ signIn }: {
    signIn: SignIn;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 202;
        data: Nothing;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/sign-in", oazapfts.json({
        ...opts,
        method: "POST",
        body: signIn
    }));
}
/**
 * Sign in with the code that the link shows in another browser
 */
export function signInWithCode({ signInCode }: {
    signInCode: SignInCode;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Session;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/sign-in/code", oazapfts.json({
        ...opts,
        method: "POST",
        body: signInCode
    }));
}
/**
 * End this session
 */
export function signOut({ idempotencyKey }: {
    idempotencyKey?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Nothing;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/sign-out", {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    });
}
/**
 * Read who you are: a key or a signed-in person
 */
export function getMe({ ifNoneMatch }: {
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Me;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/me", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Act in another of your organizations, in this session and in later ones
 */
export function switchOrganization({ switchOrganization }: {
    switchOrganization: SwitchOrganization;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SessionMe;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/me/organization", oazapfts.json({
        ...opts,
        method: "PUT",
        body: switchOrganization
    }));
}
/**
 * List where you are signed in, newest first
 */
export function listSessions({ limit, cursor, ifNoneMatch }: {
    limit?: number;
    cursor?: string;
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SessionPage;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/sessions${QS.query(QS.explode({
        limit,
        cursor
    }))}`, {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * End one of your sessions
 */
export function endSession({ id }: {
    id: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Session;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/sessions/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Read which second factors you have
 */
export function getSecondFactor({ ifNoneMatch }: {
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SecondFactor;
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
/**
 * Begin to enrol an authenticator app
 */
export function beginTotp({ idempotencyKey }: {
    idempotencyKey?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: TotpSecret;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor/totp", {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    });
}
/**
 * Remove the authenticator app; your other sessions end
 */
export function removeTotp(opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SecondFactor;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor/totp", {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Enrol the authenticator app, with a code that it shows
 */
export function confirmTotp({ idempotencyKey, totpConfirmation }: {
    idempotencyKey?: string;
    totpConfirmation: TotpConfirmation;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: FirstRecoveryCodes;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor/totp/confirm", oazapfts.json({
        ...opts,
        method: "POST",
        body: totpConfirmation,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    }));
}
/**
 * Show a second factor in this session: a code of the authenticator app, or a recovery code
 */
export function showSecondFactor({ shownFactor }: {
    shownFactor: ShownFactor;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Session;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor/verify", oazapfts.json({
        ...opts,
        method: "POST",
        body: shownFactor
    }));
}
/**
 * Make ten new recovery codes; the old ones are worth nothing from now on
 */
export function replaceRecoveryCodes({ idempotencyKey }: {
    idempotencyKey?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: RecoveryCodes;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor/recovery-codes", {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    });
}
/**
 * Begin to enrol a passkey; the challenge waits five minutes
 */
export function beginPasskey({ idempotencyKey }: {
    idempotencyKey?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PasskeyOptions;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor/passkeys/options", {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    });
}
/**
 * Enrol a passkey, with what the authenticator answered
 */
export function enrollPasskey({ newPasskey }: {
    newPasskey: NewPasskey;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 201;
        data: Passkey;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor/passkeys", oazapfts.json({
        ...opts,
        method: "POST",
        body: newPasskey
    }));
}
/**
 * Remove a passkey; your other sessions end
 */
export function removePasskey({ id }: {
    id: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: SecondFactor;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 404;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>(`/v1/second-factor/passkeys/${encodeURIComponent(id)}`, {
        ...opts,
        method: "DELETE"
    });
}
/**
 * Ask for a challenge to show a passkey; it waits five minutes
 */
export function challengePasskey({ idempotencyKey }: {
    idempotencyKey?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: PasskeyOptions;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 409;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor/passkeys/challenge", {
        ...opts,
        method: "POST",
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "Idempotency-Key": idempotencyKey
        })
    });
}
/**
 * Show a passkey in this session, with what the authenticator answered
 */
export function showPasskey({ shownPasskey }: {
    shownPasskey: ShownPasskey;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: Session;
    } | {
        status: 400;
        data: ErrorBody;
    } | {
        status: 401;
        data: ErrorBody;
    } | {
        status: 403;
        data: ErrorBody;
    } | {
        status: 413;
        data: ErrorBody;
    } | {
        status: 415;
        data: ErrorBody;
    } | {
        status: 422;
        data: ErrorBody;
    } | {
        status: 429;
        data: ErrorBody;
    } | {
        status: 503;
        data: ErrorBody;
    }>("/v1/second-factor/passkeys/verify", oazapfts.json({
        ...opts,
        method: "POST",
        body: shownPasskey
    }));
}
/**
 * Read this description of the interface (OpenAPI 3.1)
 */
export function getDescription({ ifNoneMatch }: {
    ifNoneMatch?: string;
}, opts?: Oazapfts.RequestOpts) {
    return oazapfts.fetchJson<{
        status: 200;
        data: {
            [key: string]: unknown;
        };
    } | {
        status: 304;
    } | {
        status: 400;
        data: ErrorBody;
    }>("/v1/openapi.json", {
        ...opts,
        headers: oazapfts.mergeHeaders(opts?.headers, {
            "If-None-Match": ifNoneMatch
        })
    });
}
