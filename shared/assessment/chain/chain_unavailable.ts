/** Why a chain could not be asked. */
export type ChainFault =
  | 'network_not_configured'
  | 'timeout'
  | 'unreachable'
  | 'rate_limited'
  | 'refused'
  | 'rpc_error'
  | 'answer_too_large'
  | 'invalid_answer'
  | 'block_not_found'
  | 'wrong_chain';

/**
 * A chain could not be asked, which says nothing about the transaction. Neither message nor cause names the URL: it may hold a key.
 */
export class ChainUnavailable extends Error {
  readonly code: ChainFault;
  readonly network: string;
  /** Whether the same call may succeed a little later. */
  readonly may_pass: boolean;

  constructor(code: ChainFault, network: string) {
    super(`${network} could not be read: ${reasons[code]}.`);
    this.name = 'ChainUnavailable';
    this.code = code;
    this.network = network;
    this.may_pass = passing.has(code);
  }
}

const reasons: Record<ChainFault, string> = {
  network_not_configured: 'there is no RPC URL for it (CHAIN_RPC_URLS)',
  timeout: 'its node did not answer in time',
  unreachable: 'its node cannot be reached',
  rate_limited: 'its node answers too many calls (429)',
  refused: 'its node refuses the call',
  rpc_error: 'its node answered with an error',
  answer_too_large: 'the answer of its node is larger than 1 MB',
  invalid_answer: 'the answer of its node is not what the Ethereum JSON-RPC API says',
  block_not_found: 'its node does not have the block of the transaction',
  wrong_chain: 'its node is one of another chain',
};

const passing: ReadonlySet<ChainFault> = new Set([
  'timeout',
  'unreachable',
  'rate_limited',
  'rpc_error',
  'block_not_found',
]);
