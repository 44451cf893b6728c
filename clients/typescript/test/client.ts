// Tests the parts that are written by hand, without a service.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Client, NotModifiedError, ProblemError, verifyWebhook } from "homeward-client";

type Result = Response | Error;

/** Returns a client whose requests get the results in turn, and the requests. The last result is repeated. */
function newClient(...results: Result[]): { client: Client; sent: Request[] } {
  const sent: Request[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const result = results[Math.min(sent.length, results.length - 1)];
    sent.push(new Request(input, init));
    if (result instanceof Error) throw result;
    return result!.clone();
  };
  return { client: new Client("https://lost.example.com/", "hw_key", { fetch }), sent };
}

const lost = new TypeError("connection reset");
const busy = () => new Response("busy", { status: 503, headers: { "Retry-After": "0" } });
const item = () => Response.json({ id: "item_1", status: "TELEPORTED", images: [], added: { later: [1] } });

test("a client needs an address and a key", () => {
  assert.throws(() => new Client("https://lost.example.com", process.env["NOT_SET"]), TypeError);
  assert.throws(() => new Client("ftp://lost.example.com", "hw_key"), TypeError);
});

test("a failed POST is repeated with the same key", async () => {
  const { client, sent } = newClient(lost, busy(), item());
  assert.equal((await client.createItem("loc_1", { description: "Umbrella" })).status, "TELEPORTED");
  const keys = new Set(sent.map((r) => r.headers.get("Idempotency-Key")));
  assert.equal(sent.length, 3);
  assert.equal(keys.size, 1);
  assert.ok(!keys.has(null));
});

test("only safe requests are repeated", async () => {
  for (const [result, call, want] of [
    [lost, (c: Client) => c.updateItem("loc_1", "item_1", {}), 1],
    [busy(), (c: Client) => c.updateItem("loc_1", "item_1", {}), 4],
    [busy(), (c: Client) => c.uploadImage("loc_1", "item_1", new Blob(["x"])), 4],
    [new Response("", { status: 504 }), (c: Client) => c.deleteItem("loc_1", "item_1"), 1],
    [new Response("", { status: 500 }), (c: Client) => c.getItem("loc_1", "item_1"), 1],
    [new Response("", { status: 429, headers: { "Retry-After": "3600" } }), (c: Client) => c.getItem("loc_1", "item_1"), 1],
  ] as const) {
    const { client, sent } = newClient(result);
    await assert.rejects(call(client));
    assert.equal(sent.length, want);
  }
});

test("Retry-After is obeyed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { client, sent } = newClient(new Response("", { status: 429, headers: { "Retry-After": "7" } }), item());
  const call = client.getItem("loc_1", "item_1");
  await nextTurn();
  t.mock.timers.tick(6_999);
  await nextTurn();
  assert.equal(sent.length, 1);
  t.mock.timers.tick(501); // with the largest random part
  await call;
  assert.equal(sent.length, 2);
});

test("problems are typed", async () => {
  const problem = { status: 422, code: "invalid", detail: "One field.", errors: [{ field: "brand", code: "x", message: "no" }] };
  const { client } = newClient(Response.json(problem, { status: 422 }), new Response("<html>", { status: 403 }));
  await assert.rejects(client.createItem("loc_1", { description: "" }), (e) => {
    return e instanceof ProblemError && e.code === "invalid" && e.problem.errors?.[0]?.field === "brand";
  });
  await assert.rejects(client.getItem("loc_1", "item_1"), (e) => e instanceof ProblemError && e.status === 403 && e.code === "");
});

test("headers and queries are sent, absent differs from null", async () => {
  const { client, sent } = newClient(new Response(null, { status: 304 }), item(), Response.json({ data: [] }));
  const unchanged = client.getItem("a/b", "item_1", { headers: { "If-None-Match": '"1"' } });
  await assert.rejects(unchanged, NotModifiedError);
  await client.updateItem("a/b", "item_1", { brand: null, color: undefined, model: "" });
  await client.listItems("a/b", { status: ["PENDING", "FEE PAID"], limit: 10 });
  assert.equal(sent[0]?.url, "https://lost.example.com/v1/locations/a%2Fb/items/item_1");
  assert.equal(sent[0]?.headers.get("Authorization"), "Bearer hw_key");
  assert.equal(sent[0]?.headers.get("If-None-Match"), '"1"');
  assert.equal(await sent[1]?.text(), '{"brand":null,"model":""}');
  assert.equal(new URL(sent[2]!.url).search, "?status=PENDING&status=FEE+PAID&limit=10");
});

test("iterators read every page", async () => {
  const page = (n: number, ids: string[], next?: string) =>
    Response.json({ data: ids.map((id) => ({ id })), page: n, pages: 2, limit: 2, ...(next ? { next } : {}) });
  const byPage = newClient(page(1, ["1", "2"]), page(2, ["3"]));
  const byCursor = newClient(page(1, ["1", "2"], "b"), page(2, ["3"], "c"), page(3, [], "d"));
  const got: string[] = [];
  for await (const l of byPage.client.allLocations()) got.push(l.id);
  for await (const e of byCursor.client.allAudit({ page: 1 })) got.push(e.id);
  assert.deepEqual(got, ["1", "2", "3", "1", "2", "3"]);
  assert.equal(new URL(byCursor.sent[1]!.url).search, "?limit=100&cursor=b");
});

test("webhooks are verified", async () => {
  const secret = "whsec_dGVzdA==";
  const now = new Date(1_794_731_400_000);
  const body = '{"eventType": "pickup"}';
  const sign = (secret: string, at: number) =>
    `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;
  const t = now.getTime() / 1000;
  for (const [signature, secrets, want] of [
    [sign(secret, t), [secret], true],
    [sign(secret, t), ["whsec_new", secret], true],
    [`${sign("whsec_old", t)},${sign(secret, t).split(",")[1]}`, [secret], true],
    [sign("whsec_other", t), [secret], false],
    [sign(secret, t - 301), [secret], false],
    [sign(secret, t + 301), [secret], false],
    [sign("", t), [""], false],
    ["v1=00", [secret], false],
    [undefined, [secret], false],
  ] as const) {
    assert.equal(await verifyWebhook(body, signature, [...secrets], now), want);
  }
});
