/** The columns of the board, in the order a case goes through them. */
export const caseStatuses = ['open', 'investigating', 'closed'] as const;

/** The gravest first. */
export const casePriorities = ['critical', 'high', 'medium', 'low'] as const;
