/** An invoice's number with the word before it, as in “Invoice INV-2031”, “inv. no. 2031” or “Rechnung Nr. 2026/0417”. */
const named =
  /(?<!\p{L})(?:invoice|inv|bill|rechnung|facture|fattura|factura)(?!\p{L})[\s.:#_-]*(?:(?:no|nr|num|number)(?!\p{L})[\s.:#_-]*)?([\p{L}\d][\p{L}\d/._-]*)/iu;

/** The number of the invoice that a description names, in upper case; null if it names none. A number has three digits or more. */
export function invoiceIn(description: string): string | null {
  const number = named.exec(description)?.[1]?.replace(/[/._-]+$/, '');
  return number !== undefined && number.length <= 100 && /(?:\d.*){3}/.test(number) ? number.toUpperCase() : null;
}
