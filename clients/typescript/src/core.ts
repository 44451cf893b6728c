import type { Problem } from "./api.js";

/** Options of a client. */
export interface ClientOptions {
  /** How many times a request is repeated; 0 means never. The default is 3. */
  retries?: number;
  /** Used instead of the global fetch. */
  fetch?: typeof fetch;
}

/** Options that every call has. */
export interface CommonOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
  /** More request headers. */
  headers?: Record<string, string>;
  /** Photos in a message, for writeItemThread and writeRequestThread. */
  images?: Blob[];
  /** Receives the response, for example to read its ETag. The client reads its body. */
  onResponse?: (response: Response) => void;
}

/** A request that the service refused. A proxy may also have refused it; then problem.code is empty. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  constructor(readonly problem: Problem) {
    const fields = (problem.errors ?? []).map((e) => `; ${e.field} ${e.message}`);
    super(`${problem.status} ${problem.code}: ${problem.detail}${fields.join("")}`);
  }
  get status(): number {
    return this.problem.status;
  }
  get code(): Problem["code"] {
    return this.problem.code;
  }
}

/** The record has not changed: the response to a call with ifNoneMatch. */
export class NotModifiedError extends Error {
  override readonly name = "NotModifiedError";
  constructor() {
    super("The record has not changed.");
  }
}

interface Parts {
  query?: object;
  body?: object;
  part?: string;
  file?: Blob;
  /** The operation accepts an Idempotency-Key. */
  repeatable?: boolean;
}

const firstPause = 500;
const longestPause = 8_000;
const longestWait = 60_000; // the largest Retry-After that the client obeys
const maxResponse = 64 * 1024 * 1024;

/** What all operations share: authentication, retries, encoding and decoding. */
export class Core {
  protected readonly headerNames: Readonly<Record<string, string>> = {};
  private readonly base: string;
  private readonly key: string;
  private readonly retries: number;
  private readonly fetch: typeof fetch;

  /**
   * @param baseUrl The service, such as https://lost.example.com.
   * @param key An API key. It is sent as a bearer token, which fetch does not pass on to another host. Without a key,
   *   for example if an environment variable is not set, the constructor throws a TypeError.
   */
  constructor(baseUrl: string, key: string | undefined, options: ClientOptions = {}) {
    const url = new URL(baseUrl);
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new TypeError(`The URL of the service must start with https:// or http://, not ${url.protocol}`);
    }
    if (!key) throw new TypeError("The API key is empty.");
    this.key = key;
    this.base = url.href.replace(/\/$/, "");
    this.retries = options.retries ?? 3;
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  protected async send<T>(method: string, path: string, options: CommonOptions, parts: Parts): Promise<T> {
    const headers = this.headers(options);
    if (parts.repeatable && !headers.has("Idempotency-Key")) headers.set("Idempotency-Key", crypto.randomUUID());
    const init: RequestInit = { method, headers };
    if (options.signal) init.signal = options.signal;
    if (parts.body !== undefined) {
      headers.set("Content-Type", "application/json");
      init.body = JSON.stringify(parts.body);
    }
    if (options.images?.length) {
      headers.delete("Content-Type");
      const form = new FormData();
      for (const [name, value] of Object.entries(parts.body ?? {})) form.set(name, String(value));
      for (const image of options.images) form.append("image", image, "image");
      init.body = form;
    }
    if (parts.file && parts.part) {
      const form = new FormData(); // fetch streams the file and adds the content type
      form.set(parts.part, parts.file, parts.part);
      init.body = form;
    }
    const safe = method === "GET" || parts.repeatable === true;
    const response = await this.sendRepeatedly(this.base + path + encodeQuery(parts.query), init, safe);
    options.onResponse?.(response);
    return decode<T>(response);
  }

  private headers(options: CommonOptions): Headers {
    const headers = new Headers(options.headers);
    for (const [option, name] of Object.entries(this.headerNames)) {
      const value = (options as Record<string, unknown>)[option];
      if (typeof value === "string") headers.set(name, value);
    }
    headers.set("Authorization", `Bearer ${this.key}`);
    headers.set("Accept", "application/json, application/problem+json");
    return headers;
  }

  /** Sends a request until it gets a response that is final, or has repeated it often enough. */
  private async sendRepeatedly(url: string, init: RequestInit, safe: boolean): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      let response: Response | undefined;
      let pause: number | undefined;
      try {
        response = await this.fetch(url, init);
        pause = worthRepeating(response.status, safe) ? pauseAfter(attempt, response) : undefined;
        if (pause === undefined || attempt >= this.retries) return response;
        response.body?.cancel().catch(() => undefined); // nobody reads it
      } catch (error) {
        if (!safe || attempt >= this.retries || init.signal?.aborted) throw error;
        pause = pauseAfter(attempt);
      }
      await sleep(pause ?? 0, init.signal ?? undefined);
    }
  }
}

/**
 * After 429 and 503 the service has done nothing, so every request is repeated. After 502 and 504 nobody knows what it
 * did, so only a request is repeated that is safe to repeat.
 */
function worthRepeating(status: number, safe: boolean): boolean {
  return status === 429 || status === 503 || (safe && (status === 502 || status === 504));
}

/** Returns the milliseconds before the next attempt, or undefined if the service asks for too long a pause. */
function pauseAfter(attempt: number, response?: Response): number | undefined {
  const seconds = response?.headers.get("Retry-After");
  if (seconds && /^\d+$/.test(seconds)) {
    const wait = Number(seconds) * 1000;
    return wait <= longestWait ? wait + Math.random() * firstPause : undefined;
  }
  const most = Math.min(firstPause * 2 ** attempt, longestPause);
  return most / 2 + (Math.random() * most) / 2;
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

function encodeQuery(query: object = {}): string {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) out.append(name, String(one));
    }
  }
  return out.size > 0 ? `?${out}` : "";
}

async function decode<T>(response: Response): Promise<T> {
  if (response.status === 304) throw new NotModifiedError();
  const text = await readText(response);
  if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
  throw new ProblemError(problemIn(response, text));
}

function problemIn(response: Response, text: string): Problem {
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem !== null && "status" in problem && "code" in problem) {
      return problem as Problem;
    }
  } catch {
    // a proxy may respond with anything
  }
  const detail = text.trim().slice(0, 200);
  return { type: "about:blank", title: response.statusText, status: response.status, detail, code: "", requestId: "" };
}

/** Reads the body of a response, up to a limit. */
async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxResponse) {
      await reader.cancel();
      throw new RangeError(`The response is larger than ${maxResponse} bytes.`);
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

interface Page<T> {
  data: T[];
  page?: number;
  pages?: number;
  limit?: number;
  totalIsLowerBound?: boolean;
  next?: string;
}

/** Iterates over a list by cursor. The list ends without a next cursor, or with an empty page. */
export async function* eachByCursor<T, Q extends { cursor?: string; page?: number }>(
  query: Q,
  list: (query: Q) => Promise<Page<T>>,
): AsyncGenerator<T, void> {
  for (let next: Q | undefined = query; next; ) {
    const page: Page<T> = await list(next);
    yield* page.data;
    if (!page.next || page.data.length === 0) return;
    next = { ...next, cursor: page.next };
    delete next.page;
  }
}

/** Iterates over a list by page. The number of pages is unknown if the total is a lower bound. */
export async function* eachByPage<T, Q extends { page?: number }>(
  query: Q,
  list: (query: Q) => Promise<Page<T>>,
): AsyncGenerator<T, void> {
  for (let number = query.page ?? 1; ; number++) {
    const page = await list({ ...query, page: number });
    yield* page.data;
    const last = page.totalIsLowerBound ? page.data.length < (page.limit ?? 1) : number >= (page.pages ?? 0);
    if (last || page.data.length === 0) return;
  }
}
