// Writes a web page for each location with a form for lost reports, to put on your own website. The page sends reports
// with a publishable key, which everybody may read. Browsers accept it only on the website that you name:
//
//   node embed-form.js https://hotel.example public
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "homeward-client";

const [origin = "", folder = "public"] = process.argv.slice(2);
const service = process.env["HOMEWARD_URL"] ?? "";
const client = new Client(service, process.env["HOMEWARD_KEY"] ?? "");
const { key } = await client.createKey({ name: `Forms on ${origin}`, origins: [origin] });

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => escapes[c] ?? c);

/** Runs in the visitor's browser. */
async function report(event: SubmitEvent, url: string, key: string): Promise<void> {
  event.preventDefault();
  const { description, email } = Object.fromEntries(new FormData(event.target as HTMLFormElement));
  const headers = { "svc-api-key": key, "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ description, owner: { email } }) });
  const { reference, detail } = await response.json();
  document.querySelector("output")!.textContent = response.ok ? `Thank you. Your reference is ${reference}.` : detail;
}

await mkdir(folder, { recursive: true });
for await (const { id, name, permalink, language } of client.allLocations()) {
  const file = join(folder, `${permalink}.html`);
  await writeFile(file, `<!doctype html>
<html lang="${escape(language ?? "en")}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(name)}</title>
<h1>${escape(name)}</h1>
<form>
  <p><label>What did you lose? <input name="description" required></label>
  <p><label>Your e-mail address <input name="email" type="email" required></label>
  <p><button>Send</button> <output></output>
</form>
<script type="module">
${report}
const url = "${new URL(`/v1/locations/${id}/requests`, service)}";
document.querySelector("form").addEventListener("submit", (event) => report(event, url, "${key}"));
</script>
</html>
`);
  console.log(file);
}
