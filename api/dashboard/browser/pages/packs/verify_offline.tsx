/** How anybody checks a pack on a computer of their own. */
export const VerifyOffline = ({ id }: { id: string }) => (
  <>
    <p>
      The pack proves by itself that its events were recorded in this order and not changed since. Whoever checks it
      needs Node.js 20 or newer, the public keys, and the program that checks, both fetched from here and not taken from
      the pack:
    </p>
    <pre class="wrap" tabIndex={0} aria-label="Commands that check the pack">
      {[
        `curl -sO ${location.origin}/verify.mjs`,
        `curl -s ${location.origin}/v1/keys.json -o keys.json`,
        `node verify.mjs --keys keys.json ${id}.zip`,
      ].join('\n')}
    </pre>
    <p class="quiet">It ends with exit code 0 when everything holds, and says what it cannot prove.</p>
  </>
);
