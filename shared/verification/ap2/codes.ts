/**
 * Why a mandate fails. The first three codes are AP2's own (docs/ap2/agent_authorization.md, Errors), the next three UCP's
 * (ap2-mandates.md), the others ours.
 */
export const INVALID_CREDENTIAL = 'invalid_credential';
export const UNRESOLVED_CONSTRAINT = 'unresolved_constraint';
export const INVALID_MANDATE = 'invalid_mandate';

export const MANDATE_EXPIRED = 'mandate_expired';
export const MANDATE_INVALID_SIGNATURE = 'mandate_invalid_signature';
export const MANDATE_SCOPE_MISMATCH = 'mandate_scope_mismatch';

export const ISSUER_KEY_UNKNOWN = 'issuer_key_unknown';
export const MANDATE_REPLAYED = 'mandate_replayed';
