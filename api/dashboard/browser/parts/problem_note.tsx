import type { Problem } from '#api/dashboard/browser/reading/problem.ts';

/**
 * What went wrong, in the words of the API, which say what would be right, and by which id its log knows the request. Nothing where fields
 * mark all of it.
 */
export function ProblemNote({ problem }: { problem: Problem | null }) {
  if (!problem) return null;
  const unmarked = problem.unmarked();
  const isMarked = problem.details.length > 0 && unmarked.length === 0;
  if (isMarked) return null;
  // Of one detail, the message is the whole.
  const details = unmarked.filter(({ message }) => message !== problem.message);
  return (
    <div class="problem" role="alert">
      <p>{problem.message}</p>
      {details.length > 0 && (
        <ul>
          {details.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {problem.status >= 500 && problem.request_id && (
        <p class="quiet">
          Request <code>{problem.request_id}</code>
        </p>
      )}
    </div>
  );
}
