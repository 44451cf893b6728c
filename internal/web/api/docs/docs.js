// Shows the document of this very service. Nothing is fetched from anywhere else, and a key
// that is typed in is forgotten with the page.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  validatorUrl: "none",
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  persistAuthorization: false,
});
