// What Swagger UI shows, and that it asks nobody else: without `validatorUrl: null` it would send the address to a validator.
window.SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
});
