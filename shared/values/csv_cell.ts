/**
 * A cell of CSV (RFC 4180) that a spreadsheet shows as it is: what it would take for a formula begins with an apostrophe, and what the file holds
 * by its rules stands in quotes (OWASP, CSV injection).
 */
export function csvCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text);
  const shown = isFormula ? `'${text}` : text;
  return isFormula || /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
