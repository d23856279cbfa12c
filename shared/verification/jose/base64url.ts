/** The bytes of base64url text (RFC 4648 §5, unpadded), or null when it is not the one way to write them. */
export const decodeBase64url = (text: string): Buffer | null => decode(text, 'base64url');

/** The bytes of base64 text (RFC 4648 §4, padded), or null when it is not the one way to write them. */
export const decodeBase64 = (text: string): Buffer | null => decode(text, 'base64');

/** Node takes what is not base64 for nothing: two texts would stand for the same bytes. */
function decode(text: string, encoding: 'base64' | 'base64url'): Buffer | null {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : null;
}
