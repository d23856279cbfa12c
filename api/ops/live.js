// Keeps the page up to date: every five seconds the parts that have changed are put in the place of what was there, unless somebody is in
// one of them. While the page is hidden, nothing is asked.
const EVERY = 5000;
const toggle = document.querySelector('#live');
let live = true;
toggle.hidden = false;
toggle.addEventListener('click', () => {
  live = !live;
  toggle.textContent = live ? 'Pause updates' : 'Resume updates';
});

async function look() {
  if (live && !document.hidden) {
    try {
      const answer = await fetch('/ops', { headers: { accept: 'text/html' } });
      if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    } catch {
      // Away for a moment; the time in the heading says of when the page is.
    }
  }
  setTimeout(look, EVERY);
}

function show(fresh) {
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = fresh.querySelector(`[data-live="${part.dataset.live}"]`);
    if (!next || part.contains(document.activeElement) || next.innerHTML === part.innerHTML) continue;
    const [before] = part.querySelectorAll('.table');
    const at = before?.scrollLeft ?? 0;
    part.replaceChildren(...next.childNodes);
    const [after] = part.querySelectorAll('.table');
    if (after) after.scrollLeft = at;
  }
}

setTimeout(look, EVERY);
