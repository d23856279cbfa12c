// What Swagger UI shows, and that it asks nobody else: without `validatorUrl: null` it would send the address to a validator.
window.SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // A path is part of the button that opens its operation: a link within it could not be reached by everybody.
  plugins: [() => ({ components: { DeepLink: ({ text }) => text } })],
});

// Swagger UI leaves fields without names, and examples that only a mouse can scroll.
const nameOf = field =>
  field.id === 'servers'
    ? 'Server'
    : (field.closest('tr[data-param-name]')?.dataset.paramName ??
      (field.tagName === 'TEXTAREA' ? 'Request body' : null));
new MutationObserver(() => {
  for (const field of document.querySelectorAll('select, input, textarea')) {
    const name = nameOf(field);
    if (name && !field.hasAttribute('aria-label')) field.setAttribute('aria-label', name);
  }
  for (const text of document.querySelectorAll('pre.microlight')) text.tabIndex = 0;
}).observe(document.querySelector('#reference'), { childList: true, subtree: true });
