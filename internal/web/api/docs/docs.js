// Shows the OpenAPI document of this service. The page loads nothing from other sites. It keeps an API key until the
// browser's tab is closed, so that a reader can reload the page and follow links.
const storageName = "homeward-api-key";

// rememberKey is a plug-in of Swagger UI that stores the keys after each change.
function rememberKey() {
  const storing = (original, system) => (payload) => {
    const result = original(payload);
    sessionStorage.setItem(storageName, JSON.stringify(system.authSelectors.authorized()));
    return result;
  };
  return { statePlugins: { auth: { wrapActions: { authorize: storing, logout: storing } } } };
}

const ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  validatorUrl: "none",
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [rememberKey],
  layout: "BaseLayout",
  persistAuthorization: false,
  onComplete: () => {
    const stored = sessionStorage.getItem(storageName);
    if (stored) ui.authActions.authorize(JSON.parse(stored));
  },
});
