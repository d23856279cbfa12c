/** Why the browser made or showed no passkey, for people (WebAuthn §5.1: the names of its DOMExceptions). */
export function passkeyFault(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'The passkey prompt was canceled or timed out. Try again.';
  if (name === 'InvalidStateError') return 'This device already has a passkey for your account.';
  if (name === 'SecurityError')
    return 'Passkeys require HTTPS and a host name, or localhost. They do not work on an IP address.';
  return 'This browser or device does not support this passkey.';
}
