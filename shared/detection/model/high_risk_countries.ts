/**
 * Countries that the Financial Action Task Force calls on everybody to guard against: "High-Risk Jurisdictions subject to a Call for
 * Action", as published on 24 October 2025. North Korea, Iran and Myanmar.
 */
export const highRiskCountries: readonly string[] = ['KP', 'IR', 'MM'];
