/** Why the browser made or showed no passkey, for people (WebAuthn §5.1: the names of its DOMExceptions). */
export function passkeyFault(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'Nothing was confirmed. Try again, and confirm it in time.';
  if (name === 'InvalidStateError') return 'This device has a passkey for you here already.';
  if (name === 'SecurityError') return 'Passkeys need a host name and https (or localhost); an IP address will not do.';
  return 'This browser or device cannot do that with passkeys.';
}
