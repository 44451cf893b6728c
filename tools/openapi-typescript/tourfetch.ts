// Does the tour with openapi-fetch and the types that openapi-typescript generates. Every operation of our client is
// replaced, so that the compiler compares the types of both, too. This file is compiled beside the tour and openapi.ts,
// which openapi-typescript writes.
import createClient from "openapi-fetch";
import * as homeward from "homeward-client";
import type { components, operations, paths } from "./openapi.js";
import { tour } from "./tour.js";

type Schemas = components["schemas"];
type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;

interface Answer<T> {
  data?: T;
  error?: homeward.Problem;
  response: Response;
}

/** Returns the data of an answer, or throws what our client throws. */
async function answer<T>(call: Promise<Answer<T>>, options: homeward.CallOptions = {}): Promise<T> {
  const { data, error, response } = await call;
  options.onResponse?.(response);
  if (response.status === 304) throw new homeward.NotModifiedError();
  if (error) throw new homeward.ProblemError(error);
  return data as T;
}

/** Our type of a listed item has the fields of items and of deleted items; the generated one is either of them. */
function listed(call: Promise<Answer<Schemas["ItemList"]>>) {
  return answer(call) as Promise<homeward.ItemList>;
}

function headers({ ifMatch, ifNoneMatch }: homeward.CallOptions) {
  return { ...(ifMatch && { "If-Match": ifMatch }), ...(ifNoneMatch && { "If-None-Match": ifNoneMatch }) };
}

/** Encodes files as a form. The generated type of a file is string. */
function form<Name extends string>(files: Record<Name, Blob>) {
  const bodySerializer = () => {
    const out = new FormData();
    for (const [name, file] of Object.entries<Blob>(files)) out.set(name, file, name);
    return out;
  };
  return { body: files as unknown as Record<Name, string>, bodySerializer };
}

/** Encodes a message as JSON or, with photos, as a form. */
function message(body: Schemas["ThreadMessageInput"], { images = [] }: homeward.CallOptions) {
  if (images.length === 0) return { body };
  const bodySerializer = () => {
    const out = new FormData();
    if (body.text) out.set("text", body.text);
    for (const image of images) out.append("image", image, "image");
    return out;
  };
  return { body, bodySerializer };
}

const service = process.env["HOMEWARD_URL"] ?? "";
const key = process.env["HOMEWARD_KEY"] ?? "";

class GeneratedClient extends homeward.Client {
  private readonly api = createClient<paths>({ baseUrl: service, headers: { "svc-api-key": key } });

  override createLocation(body: Schemas["LocationInput"]) {
    return answer(this.api.POST("/v1/locations", { body }));
  }
  override listLocations(query?: Query<"list-locations">) {
    return answer(this.api.GET("/v1/locations", { params: { query } }));
  }
  override getLocation(id: string) {
    return answer(this.api.GET("/v1/locations/{id}", { params: { path: { id } } }));
  }
  override updateLocation(id: string, body: Schemas["LocationPatch"]) {
    return answer(this.api.PUT("/v1/locations/{id}", { params: { path: { id } }, body }));
  }
  override deleteLocation(id: string) {
    return answer(this.api.DELETE("/v1/locations/{id}", { params: { path: { id } } }));
  }
  override listSlots(id: string, query?: Query<"list-slots">) {
    return answer(this.api.GET("/v1/locations/{id}/slots", { params: { path: { id }, query } }));
  }
  override getReport(query?: Query<"get-report">) {
    return answer(this.api.GET("/v1/reports", { params: { query } }));
  }
  override uploadLogo(id: string, logo: Blob) {
    return answer(this.api.POST("/v1/locations/{id}/upload-logo", { params: { path: { id } }, ...form({ logo }) }));
  }

  override createItem(lid: string, body: Schemas["ItemInput"]) {
    return answer(this.api.POST("/v1/locations/{lid}/items", { params: { path: { lid } }, body }));
  }
  override listItems(lid: string, query?: Query<"list-items">) {
    return listed(this.api.GET("/v1/locations/{lid}/items", { params: { path: { lid }, query } }));
  }
  override listAllItems(query?: Query<"list-all-items">) {
    return listed(this.api.GET("/v1/items", { params: { query } }));
  }
  override getItem(lid: string, id: string, options: homeward.CallOptions = {}) {
    const params = { path: { lid, id }, header: headers(options) };
    return answer(this.api.GET("/v1/locations/{lid}/items/{id}", { params }), options);
  }
  override updateItem(lid: string, id: string, body: Schemas["ItemPatch"], options: homeward.CallOptions = {}) {
    const params = { path: { lid, id }, header: headers(options) };
    return answer(this.api.PUT("/v1/locations/{lid}/items/{id}", { params, body }), options);
  }
  override deleteItem(lid: string, id: string) {
    return answer(this.api.DELETE("/v1/locations/{lid}/items/{id}", { params: { path: { lid, id } } }));
  }
  override uploadImage(lid: string, id: string, image: Blob) {
    const params = { path: { lid, id } };
    return answer(this.api.POST("/v1/locations/{lid}/items/{id}/upload-image", { params, ...form({ image }) }));
  }
  override sortImages(lid: string, id: string, body: Schemas["ImageOrderInput"]) {
    return answer(this.api.PUT("/v1/locations/{lid}/items/{id}/images", { params: { path: { lid, id } }, body }));
  }
  override deleteImage(lid: string, id: string, imageId: string) {
    const params = { path: { lid, id, imageId } };
    return answer(this.api.DELETE("/v1/locations/{lid}/items/{id}/images/{imageId}", { params }));
  }
  override updateStatus(lid: string, id: string, body: Schemas["MoveInput"]) {
    const params = { path: { lid, id } };
    return answer(this.api.PUT("/v1/locations/{lid}/items/{id}/update-status", { params, body }));
  }
  override listItemMatches(lid: string, id: string, query?: Query<"list-item-matches">) {
    return answer(this.api.GET("/v1/locations/{lid}/items/{id}/matches", { params: { path: { lid, id }, query } }));
  }
  override listHistory(lid: string, id: string, query?: Query<"list-history">) {
    return answer(this.api.GET("/v1/locations/{lid}/items/{id}/history", { params: { path: { lid, id }, query } }));
  }
  override createItems(lid: string, body: Schemas["NewItemsInput"]) {
    return answer(this.api.POST("/v1/locations/{lid}/items/bulk", { params: { path: { lid } }, body }));
  }
  override updateItemsStatus(lid: string, body: Schemas["BulkMoveInput"]) {
    return answer(this.api.PUT("/v1/locations/{lid}/items/bulk-status", { params: { path: { lid } }, body }));
  }
  override handOver(lid: string, id: string, body: Schemas["HandOverInput"]) {
    return answer(this.api.POST("/v1/locations/{lid}/items/{id}/hand-over", { params: { path: { lid, id } }, body }));
  }

  override listStays(lid: string, query?: Query<"list-stays">) {
    return answer(this.api.GET("/v1/locations/{lid}/stays", { params: { path: { lid }, query } }));
  }
  override setOwnerFromStay(lid: string, id: string, body: Schemas["StayChoiceInput"]) {
    return answer(this.api.POST("/v1/locations/{lid}/items/{id}/owner-from-stay", { params: { path: { lid, id } }, body }));
  }

  override createRequest(lid: string, body: Schemas["RequestInput"]) {
    return answer(this.api.POST("/v1/locations/{lid}/requests", { params: { path: { lid } }, body }));
  }
  override listRequests(lid: string, query?: Query<"list-requests">) {
    return listed(this.api.GET("/v1/locations/{lid}/requests", { params: { path: { lid }, query } }));
  }
  override listAllRequests(query?: Query<"list-all-requests">) {
    return listed(this.api.GET("/v1/requests", { params: { query } }));
  }
  override getRequest(lid: string, id: string) {
    return answer(this.api.GET("/v1/locations/{lid}/requests/{id}", { params: { path: { lid, id } } }));
  }
  override updateRequestStatus(lid: string, id: string, body: Schemas["DecisionInput"]) {
    const params = { path: { lid, id } };
    return answer(this.api.PUT("/v1/locations/{lid}/requests/{id}/update-status", { params, body }));
  }
  override listRequestMatches(lid: string, id: string, query?: Query<"list-request-matches">) {
    return answer(this.api.GET("/v1/locations/{lid}/requests/{id}/matches", { params: { path: { lid, id }, query } }));
  }
  override refuseMatch(lid: string, id: string, itemId: string) {
    const params = { path: { lid, id, itemId } };
    return answer(this.api.DELETE("/v1/locations/{lid}/requests/{id}/matches/{itemId}", { params }));
  }

  override listQuotes(lid: string, id: string, query?: Query<"list-quotes">) {
    return answer(this.api.GET("/v1/locations/{lid}/items/{id}/quotes", { params: { path: { lid, id }, query } }));
  }
  override retryLabel(lid: string, id: string) {
    return answer(this.api.POST("/v1/locations/{lid}/items/{id}/label", { params: { path: { lid, id } } }));
  }
  override refundItem(lid: string, id: string, body: Schemas["RefundInput"]) {
    return answer(this.api.POST("/v1/locations/{lid}/items/{id}/refund", { params: { path: { lid, id } }, body }));
  }

  override listMessages(lid: string, id: string, query?: Query<"list-messages">) {
    return answer(this.api.GET("/v1/locations/{lid}/items/{id}/messages", { params: { path: { lid, id }, query } }));
  }
  override notifyOwner(lid: string, id: string) {
    return answer(this.api.POST("/v1/locations/{lid}/items/{id}/notify", { params: { path: { lid, id } } }));
  }
  override listItemThread(lid: string, id: string, query?: Query<"list-item-thread">) {
    return answer(this.api.GET("/v1/locations/{lid}/items/{id}/thread", { params: { path: { lid, id }, query } }));
  }
  override writeItemThread(lid: string, id: string, body: Schemas["ThreadMessageInput"], options = {}) {
    const params = { path: { lid, id } };
    return answer(this.api.POST("/v1/locations/{lid}/items/{id}/thread", { params, ...message(body, options) }));
  }
  override listRequestThread(lid: string, id: string, query?: Query<"list-request-thread">) {
    return answer(this.api.GET("/v1/locations/{lid}/requests/{id}/thread", { params: { path: { lid, id }, query } }));
  }
  override writeRequestThread(lid: string, id: string, body: Schemas["ThreadMessageInput"], options = {}) {
    const params = { path: { lid, id } };
    return answer(this.api.POST("/v1/locations/{lid}/requests/{id}/thread", { params, ...message(body, options) }));
  }
  override revokeLink(lid: string, id: string) {
    return answer(this.api.POST("/v1/locations/{lid}/items/{id}/revoke-link", { params: { path: { lid, id } } }));
  }
  override listTasks(lid: string, query?: Query<"list-tasks">) {
    return answer(this.api.GET("/v1/locations/{lid}/tasks", { params: { path: { lid }, query } }));
  }

  override createWebhook(body: Schemas["WebhookInput"]) {
    return answer(this.api.POST("/v1/webhooks", { body }));
  }
  override listWebhooks(query?: Query<"list-webhooks">) {
    return answer(this.api.GET("/v1/webhooks", { params: { query } }));
  }
  override getWebhook(id: string) {
    return answer(this.api.GET("/v1/webhooks/{id}", { params: { path: { id } } }));
  }
  override updateWebhook(id: string, body: Schemas["WebhookPatch"]) {
    return answer(this.api.PUT("/v1/webhooks/{id}", { params: { path: { id } }, body }));
  }
  override deleteWebhook(id: string) {
    return answer(this.api.DELETE("/v1/webhooks/{id}", { params: { path: { id } } }));
  }
  override getWebhookSecret(id: string) {
    return answer(this.api.GET("/v1/webhooks/{id}/secret", { params: { path: { id } } }));
  }
  override rotateWebhookSecret(id: string) {
    return answer(this.api.POST("/v1/webhooks/{id}/rotate-secret", { params: { path: { id } } }));
  }
  override testWebhook(id: string, body: Schemas["WebhookTestInput"]) {
    return answer(this.api.POST("/v1/webhooks/{id}/test", { params: { path: { id } }, body }));
  }
  override listDeliveries(id: string, query?: Query<"list-deliveries">) {
    return answer(this.api.GET("/v1/webhooks/{id}/deliveries", { params: { path: { id }, query } }));
  }
  override replayWebhook(id: string, body: Schemas["ReplayInput"]) {
    return answer(this.api.POST("/v1/webhooks/{id}/replay", { params: { path: { id } }, body }));
  }

  override listEvents(query?: Query<"list-events">) {
    return answer(this.api.GET("/v1/events", { params: { query } }));
  }
  override getEvent(id: string) {
    return answer(this.api.GET("/v1/events/{id}", { params: { path: { id } } }));
  }
  override getDelivery(id: string) {
    return answer(this.api.GET("/v1/deliveries/{id}", { params: { path: { id } } }));
  }
  override replayDelivery(id: string) {
    return answer(this.api.POST("/v1/deliveries/{id}/replay", { params: { path: { id } } }));
  }

  override exportPerson(body: Schemas["PersonInput"]) {
    return answer(this.api.POST("/v1/persons/export", { body }));
  }
  override erasePerson(body: Schemas["PersonInput"]) {
    return answer(this.api.POST("/v1/persons/erase", { body }));
  }
  override getErasure(id: string) {
    return answer(this.api.GET("/v1/persons/erasures/{id}", { params: { path: { id } } }));
  }

  override getAccount() {
    return answer(this.api.GET("/v1/account"));
  }
  override createKey(body: Schemas["KeyInput"]) {
    return answer(this.api.POST("/v1/keys", { body }));
  }
  override listKeys(query?: Query<"list-keys">) {
    return answer(this.api.GET("/v1/keys", { params: { query } }));
  }
  override getKey(id: string) {
    return answer(this.api.GET("/v1/keys/{id}", { params: { path: { id } } }));
  }
  override renameKey(id: string, body: Schemas["KeyNameInput"]) {
    return answer(this.api.PUT("/v1/keys/{id}", { params: { path: { id } }, body }));
  }
  override revokeKey(id: string) {
    return answer(this.api.DELETE("/v1/keys/{id}", { params: { path: { id } } }));
  }

  override listAudit(query?: Query<"list-audit">) {
    return answer(this.api.GET("/v1/audit", { params: { query } }));
  }
}

const fetch = () => Promise.reject(new Error("tools/openapi-typescript has no method for an operation"));
await tour(new GeneratedClient(service, key, { fetch, retries: 0 }));
