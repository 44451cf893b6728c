/**
 * A client of the Homeward API, a lost-and-found service.
 *
 *     const client = new Client("https://lost.example.com", process.env.HOMEWARD_KEY);
 *     const item = await client.createItem(locationId, { description: "Black umbrella" });
 *
 * A request that the service refuses throws a ProblemError. The client repeats requests that failed for a moment, as
 * far as that is safe.
 */
export * from "./api.js";
export { NotModifiedError, ProblemError, type ClientOptions, type CommonOptions } from "./core.js";
export { SignatureError, readWebhook, signatureHeader, tolerance, verifyWebhook } from "./webhook.js";
