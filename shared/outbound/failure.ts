import { TargetBlocked } from './target.ts';

/**
 * Why an attempt got no answer, as a phrase for the delivery log. Messages of Node and undici are not passed on: they name
 * addresses that a host name resolved to, and could quote what the URL or the answer held.
 */
export function failureText(error: Error): string {
  if (error instanceof TargetBlocked || error.name === 'TimeoutError') return error.message;
  if (error.name === 'HTTPParserError') return 'the answer is not HTTP';
  const code = codeOf(error) ?? codeOf(error.cause);
  if (code === undefined) return 'the request failed';
  if (tls.test(code)) return `the TLS handshake or certificate was not accepted (${code})`;
  return texts[code] ?? `no answer (${code})`;
}

const texts: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  ENOTFOUND: 'the host name does not resolve',
  ENODATA: 'the host name does not resolve',
  EAI_AGAIN: 'the name servers did not answer',
  ETIMEOUT: 'the name servers did not answer',
  ESERVFAIL: 'the name servers did not answer',
  ETIMEDOUT: 'the connection was not answered',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not answered',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer were too large',
};

const tls = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO)/;

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
