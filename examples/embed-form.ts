// Writes a web page for each location with its form for lost reports, which works without a script. Put the frame into
// your own site, and allow the service in the site's Content-Security-Policy (frame-src).
//
//   node embed-form.js public
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "homeward-client";

const service = process.env["HOMEWARD_URL"] ?? "";
const client = new Client(service, process.env["HOMEWARD_KEY"] ?? "");
const folder = process.argv[2] ?? "public";

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => escapes[c] ?? c);

await mkdir(folder, { recursive: true });
for await (const { name, permalink, language } of client.allLocations()) {
  const form = new URL(`/l/${encodeURIComponent(permalink)}?embed=1`, service);
  const page = `<!doctype html>
<html lang="${escape(language ?? "en")}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(name)}</title>
<h1>${escape(name)}</h1>
<iframe src="${escape(form.href)}" title="Lost and found" style="width:100%;height:900px;border:0"></iframe>
</html>
`;
  const file = join(folder, `${permalink}.html`);
  await writeFile(file, page);
  console.log(file);
}
