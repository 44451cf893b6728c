// Calls every operation of a running service. The service's own tests run it with several clients.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import {
  AuditAction, Client, DecisionType, DeliveryState, ErasureState, EventType, FieldCode, ItemStatus, NotModifiedError, ProblemCode,
  ProblemError, RequestState, StoredEvent, TaskKind, readWebhook, signatureHeader, type EventBody, type Item,
} from "homeward-client";

let client: Client;
let location: string;

/** Repeats a check until background work is done. */
async function until(what: string, done: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await done()); await pause(20)) {
    assert.ok(Date.now() < end, `timed out waiting until ${what}`);
  }
}

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const one of list) out.push(one);
  return out;
}

// A picture of 1 by 1 pixels.
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const photo = new Blob([Buffer.from(picture, "base64")]);

async function locations(): Promise<void> {
  ({ id: location } = await client.createLocation({
    name: "Hotel Adler", type: "hotel", city: "Hamburg", country: "DE", address1: "Hafenstraße 12", zipCode: "20457",
    storageDuration: 30, contact: { email: "desk@example.com" },
  }));
  const changed = await client.updateLocation(location, { storageDuration: null, charity: "Red Cross" });
  assert.equal(changed.storageDuration, undefined);
  assert.equal(changed.city, "Hamburg");
  await client.updateLocation(location, {
    openingHours: [{ days: ["fri"], from: "10:00", to: "12:00" }], slots: { minutes: 30, capacity: 2 },
  });
  assert.equal((await client.listSlots(location, { from: "2036-11-17", to: "2036-11-23" })).data.length, 4);
  await client.uploadLogo(location, photo);
  assert.ok((await client.getLocation(location)).logoUrl);
  const found = await all(client.allLocations({ term: "adler" }));
  assert.equal(found.filter((l) => l.id === location).length, 1);
  await assert.rejects(client.getLocation("loc_none"), (e) => {
    return e instanceof ProblemError && e.code === ProblemCode.NotFound && e.problem.requestId !== "";
  });
}

async function items(): Promise<void> {
  for (let n = 0; n < 12; n++) await client.createItem(location, { description: "Umbrella" });
  let item = await client.createItem(location, { description: "Camera" });
  await client.uploadImage(location, item.id, photo);
  item = await client.updateItem(location, item.id, { brand: "Leica", owner: { email: "a@example.com" } });
  assert.equal(item.owner?.email, "a@example.com");
  assert.equal(item.images.length, 1);
  await client.updateStatus(location, item.id, { status: ItemStatus.Pickup, pickupDate: "2036-11-20", pickupTime: "14:30" });
  assert.equal((await client.getItem(location, item.id)).pickup?.time, "14:30");
  const found = await all(client.allItems(location, { status: [ItemStatus.Pending, ItemStatus.Pickup], limit: 10 }));
  assert.equal(found.length, 13);
  assert.equal((await client.listAllItems({ location: [location] })).total, 13);
  assert.equal((await client.listAllItems({ q: "brolly" })).exact, 0);
  await client.listItems(location, { q: "umbrela" });
  await client.listItems(location, { ownerState: "no-owner" });
  await client.listAllItems({ ownerState: "no-answer" });
  assert.ok((await client.listHistory(location, item.id)).total >= 3);
  await client.listItemMatches(location, item.id);
  await client.notifyOwner(location, item.id);
  const written = await client.writeItemThread(location, item.id, { text: "Is the handle light or dark?" });
  assert.equal((await client.listItemThread(location, item.id)).data[0]?.id, written.id);
  const shown = await client.writeItemThread(location, item.id, { text: "This one?" }, { images: [photo, photo] });
  assert.equal(shown.images.length, 2);
  await client.revokeLink(location, item.id);
  await client.listTasks(location);
  await client.deleteItem(location, item.id);
  const wrong = client.createItem(location, { description: "Hat", owner: { email: "nobody" } });
  await assert.rejects(wrong, (e) => e instanceof ProblemError && e.problem.errors?.[0]?.code === FieldCode.InvalidEmail);
}

/** Reads an item only if it has changed, changes it only if nobody else has, and follows its deletion. */
async function changes(): Promise<void> {
  const { id } = await client.createItem(location, { description: "Watch" });
  let etag = "";
  const onResponse = (response: Response) => (etag = response.headers.get("ETag") ?? "");
  await client.getItem(location, id, { onResponse });
  const read = etag;
  await assert.rejects(client.getItem(location, id, { ifNoneMatch: read }), NotModifiedError);
  await client.updateItem(location, id, { color: "gold" }, { ifMatch: read, onResponse });
  assert.notEqual(etag, read);
  const stale = client.updateItem(location, id, { color: "silver" }, { ifMatch: read });
  await assert.rejects(stale, (e) => e instanceof ProblemError && e.code === ProblemCode.PreconditionFailed);
  const updatedSince = new Date(Date.now() - 3_600_000).toISOString();
  await client.deleteItem(location, id);
  await until("the deleted item is listed", async () => {
    return (await all(client.allItemsOfAllLocations({ updatedSince }))).some((one) => one.id === id && one.deleted);
  });
}

/** Records several items at once, gives them a status and hands one over, after its photos were sorted. */
async function bulk(): Promise<void> {
  const { results } = await client.createItems(location, { items: [{ description: "Key ring" }, { description: "" }] });
  assert.ok(results[1]?.problem);
  const id = results[0]?.item?.id ?? "";
  await client.uploadImage(location, id, photo);
  const { images } = await client.uploadImage(location, id, photo);
  const [first, second] = [images[0]?.id ?? "", images[1]?.id ?? ""];
  assert.equal((await client.sortImages(location, id, { order: [second, first] })).images[0]?.id, second);
  await client.deleteImage(location, id, first);
  const moved = await client.updateItemsStatus(location, { ids: [id], status: ItemStatus.Pickup });
  assert.equal(moved.results[0]?.item?.status, ItemStatus.Pickup);
  const stays = await client.listStays(location, { room: "Room 207", date: "2026-11-14" });
  assert.deepEqual([stays.room, stays.data], ["207", []]); // the location has no hotel system and no guest list
  await assert.rejects(client.setOwnerFromStay(location, id, { stayId: "stay_none" }));
  await client.handOver(location, id, { recipient: "Anna Kowalska" });
}

async function requests(): Promise<void> {
  const found = await client.createItem(location, { description: "Black umbrella, duck head handle", brand: "Knirps" });
  const file = (): Promise<Item> =>
    client.createRequest(location, {
      description: "Black Knirps umbrella, its handle is a duck head", lostPlace: "Bar",
      trackerLink: "https://find.apple.com/item/0a1b2c", owner: { email: "zoe@example.com" },
    });
  const [first, second] = [await file(), await file()];
  await until("matches are found", async () => {
    const list = await client.listRequestMatches(location, first.id);
    return !list.pending && list.data.length > 0;
  });
  await client.refuseMatch(location, first.id, found.id);
  await client.updateRequestStatus(location, first.id, { type: DecisionType.Reject, reason: "It is another one." });
  await client.updateRequestStatus(location, second.id, { type: DecisionType.Accept, itemId: found.id });
  assert.equal((await client.getRequest(location, second.id)).request?.state, RequestState.Matched);
  await client.writeRequestThread(location, second.id, { text: "It is here." });
  assert.equal((await client.listRequestThread(location, second.id)).total, 1);
  await client.listAllRequests({ q: "umbrela" });
  await client.listRequests(location, { q: "umbrela" });
  assert.equal((await client.listRequests(location)).total, 2);
}

/** Waits until the desk has a task of a kind. */
function awaitTask(kind: TaskKind): Promise<void> {
  return until(`the desk has the task ${kind}`, async () => (await all(client.allTasks(location))).some((t) => t.kind === kind));
}

/** Goes through a parcel whose first label is refused, because nobody knows its weight. */
async function shipping(): Promise<void> {
  const hat = await client.createItem(location, { description: "Hat", owner: { phone: "+48 22 123 45 67" } });
  let link = "";
  await until("the owner is notified", async () => {
    for await (const m of client.allMessages(location, hat.id)) link = /https?:\/\/\S+\/g\/[\w-]+/.exec(m.text ?? "")?.[0] ?? "";
    return link !== "";
  });
  const address = new URLSearchParams({
    "recipient.country": "PL", "recipient.name": "Anna Kowalska", "recipient.address1": "ul. Długa 7",
    "recipient.city": "Warszawa", "recipient.zipCode": "00-238",
  });
  assert.ok((await fetch(`${link}/ship`, { method: "POST", body: address })).ok);
  await client.updateStatus(location, hat.id, { status: ItemStatus.FeePaid });
  await awaitTask(TaskKind.LabelRefused);
  await client.updateItem(location, hat.id, { shipping: { weight: 0.2 } });
  await client.retryLabel(location, hat.id);
  assert.ok(((await client.listQuotes(location, hat.id, { country: "PL" })).data[0]?.price.total ?? 0) > 0);
  await client.refundItem(location, hat.id, { reason: "Never sent." });
  await awaitTask(TaskKind.RefundDue);
  await client.refundItem(location, hat.id, {}); // confirms that the desk has paid the fee back
}

async function webhooks(): Promise<void> {
  const secrets: string[] = [];
  const events: EventBody[] = [];
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    if (secrets.length > 0) {
      const signature = req.headers[signatureHeader];
      events.push(await readWebhook(Buffer.concat(parts), String(signature), ...secrets));
    }
    res.end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const hook = await client.createWebhook({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  secrets.push(hook.secret ?? "");
  assert.equal((await client.updateWebhook(hook.id, { description: "Tour" })).description, "Tour");
  secrets.push((await client.rotateWebhookSecret(hook.id)).secret);
  assert.equal((await client.getWebhookSecret(hook.id)).oldSecrets?.length, 1);
  await client.testWebhook(hook.id, { eventType: StoredEvent.StatusChanged });
  const test = await client.testWebhook(hook.id, {});
  await until("the test is delivered", async () => (await client.getDelivery(test.id)).state === DeliveryState.Delivered);
  const item = await client.createItem(location, { description: "Glove" });
  await client.updateStatus(location, item.id, { status: ItemStatus.Donate });
  await client.replayDelivery(test.id);
  await until("four events arrive", async () => events.length >= 4);
  assert.equal(events.find((e) => e.eventType === EventType.StatusChanged)?.payload.previousStatus, ItemStatus.Pending);
  assert.equal(events.find((e) => e.eventType === EventType.Donate)?.payload.item?.id, item.id);
  await client.replayWebhook(hook.id, { since: new Date(Date.now() - 3_600_000).toISOString() });
  await client.listDeliveries(hook.id);
  await client.listWebhooks();
  await client.getWebhook(hook.id);
  for await (const event of client.allEvents({ types: ["*"] })) await client.getEvent(event.id);
  await client.deleteWebhook(hook.id);
  server.closeAllConnections();
  server.close();
}

async function persons(): Promise<void> {
  assert.ok((await client.exportPerson({ email: "zoe@example.com" })).records.length > 0);
  const { id } = await client.erasePerson({ email: "zoe@example.com" });
  await until("the person is erased", async () => (await client.getErasure(id)).state === ErasureState.Done);
}

async function keys(): Promise<void> {
  assert.equal((await client.getAccount()).key.role, "admin");
  const key = await client.createKey({ name: "Tour", readOnly: true });
  assert.equal((await client.renameKey(key.id, { name: "Round" })).name, "Round");
  await client.getKey(key.id);
  await client.listKeys();
  await client.revokeKey(key.id);
  const report = await client.getReport({ location: [], from: "2026-01-01", to: "2026-01-31" });
  assert.equal(report.months.length, 12);
  const entries = await all(client.allAudit({ limit: 10 }));
  assert.ok(entries.some((e) => e.action === AuditAction.KeyRevoked));
}

/** Returns a source of random numbers, from 0 to below n, that is repeatable (mulberry32). */
function newRandom(seed: number): (n: number) => number {
  return (n) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/** Writes a time in a random zone and with a random number of digits. */
function respell(time: string, random: (n: number) => number): string {
  const minutes = random(24 * 60) - 12 * 60;
  const local = new Date(Date.parse(time) + minutes * 60_000).toISOString();
  const digits = random(10);
  const fraction = digits > 0 ? `.${local.slice(20, 23).padEnd(9, "0").slice(0, digits)}` : "";
  const two = (n: number) => String(Math.trunc(n)).padStart(2, "0");
  const zone = `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
  return local.slice(0, 19) + fraction + zone;
}

/** Sends whole records back 1,000 times, in random zones and precisions. HOMEWARD_SEED repeats a run. */
async function sendBack(): Promise<void> {
  const [records, rounds] = [8, 125];
  const seed = Number(process.env["HOMEWARD_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`HOMEWARD_SEED: ${seed}`);
  const one = async (n: number): Promise<void> => {
    const random = newRandom(seed + n);
    let item = await client.createItem(location, { description: "Glove" });
    for (let round = 0; round < rounds; round++) {
      const [createdAt, updatedAt] = [respell(item.createdAt, random), respell(item.updatedAt, random)];
      const notes = `Seen ${round >> 1} times`; // changes every second time
      item = await client.updateItem(location, item.id, { ...item, createdAt, updatedAt, notes });
    }
  };
  await Promise.all(Array.from({ length: records }, (_, n) => one(n)));
}

/** Does the whole tour with a client. */
export async function tour(of: Client): Promise<void> {
  client = of;
  for (const part of [locations, items, changes, bulk, requests, shipping, webhooks, persons, keys, sendBack]) await part();
  await client.deleteLocation(location);
}
