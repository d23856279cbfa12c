/** How anybody checks a pack on a computer of their own. */
export const VerifyOffline = ({ id }: { id: string }) => (
  <>
    <p>
      The pack itself proves that its events were recorded in this order and never changed. To verify it, you need
      Node.js 20 or later, the public keys, and the verifier. Download both from here instead of using copies from the
      pack:
    </p>
    <pre class="wrap" tabIndex={0} aria-label="Commands that verify the pack">
      {[
        `curl -sO ${location.origin}/verify.mjs`,
        `curl -s ${location.origin}/v1/keys.json -o keys.json`,
        `node verify.mjs --keys keys.json ${id}.zip`,
      ].join('\n')}
    </pre>
    <p class="quiet">The verifier exits with code 0 if everything is valid, and lists what it cannot prove.</p>
  </>
);
