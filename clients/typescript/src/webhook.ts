import type { EventBody } from "./api.js";

/** The header with the signature of a webhook request. */
export const signatureHeader = "svc-signature";

/** How old, or how far in the future, a webhook request may be, in seconds. */
export const tolerance = 300;

/** The request was not signed with the secret, or not within the tolerance. Respond with 401 and ignore its body. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
  constructor() {
    super("The signature of the webhook request is not valid.");
  }
}

/**
 * Verifies a webhook request and returns its event. An event may arrive more than once: the header webhook-id is the
 * same for each repetition.
 *
 * @param body The body exactly as it was received.
 * @param signature The value of the header svc-signature.
 * @param secrets The secret of the webhook; during a rotation both, old and new.
 */
export async function readWebhook(
  body: string | BufferSource,
  signature: string | null | undefined,
  ...secrets: string[]
): Promise<EventBody> {
  const bytes = toBytes(body);
  if (!(await verifyWebhook(bytes, signature, secrets))) throw new SignatureError();
  return JSON.parse(new TextDecoder().decode(bytes)) as EventBody;
}

/** Reports whether one of the secrets signed the body within the tolerance. Signatures are compared in constant time. */
export async function verifyWebhook(
  body: string | BufferSource,
  signature: string | null | undefined,
  secrets: string[],
  now: Date = new Date(),
): Promise<boolean> {
  let signedAt = "";
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  for (const part of (signature ?? "").split(",")) {
    const [name, value = ""] = part.trim().split("=", 2);
    if (name === "t") signedAt = value;
    if (name === "v1" && /^([0-9a-f]{2})+$/i.test(value)) signatures.push(fromHex(value));
  }
  const age = now.getTime() / 1000 - Number(signedAt);
  if (!/^\d+$/.test(signedAt) || Math.abs(age) > tolerance) return false;
  const signed = concat(toBytes(`${signedAt}.`), toBytes(body));
  let valid = false;
  for (const secret of secrets.filter((s) => s !== "")) {
    const key = await crypto.subtle.importKey("raw", toBytes(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const one of signatures) valid = (await crypto.subtle.verify("HMAC", key, one, signed)) || valid;
  }
  return valid;
}

function toBytes(data: string | BufferSource): Uint8Array<ArrayBuffer> {
  if (typeof data === "string") return new Uint8Array(new TextEncoder().encode(data));
  const view = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
  return new Uint8Array(view);
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return out;
}
