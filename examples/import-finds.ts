// Records the items of a CSV file with the columns id, description and place. A second run creates nothing twice: each
// row has its own Idempotency-Key, made from the file's id.
//
//   node import-finds.js LOCATION finds.csv
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client, ProblemError } from "homeward-client";

const [location = "", file = ""] = process.argv.slice(2);
const client = new Client(process.env["HOMEWARD_URL"] ?? "", process.env["HOMEWARD_KEY"] ?? "");
const rows = (await readFile(file, "utf8")).split(/\r?\n/).slice(1).filter((row) => row.trim() !== "");

for (const row of rows) {
  const [id = "", description = "", place = ""] = row.split(";");
  const idempotencyKey = createHash("sha256").update(`${location} ${id}`).digest("hex");
  try {
    const item = await client.createItem(location, { description, discoveryPlace: place || null }, { idempotencyKey });
    console.log(`${id}: ${item.reference}`);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 422) throw error;
    for (const wrong of error.problem.errors ?? []) console.log(`${id}: ${wrong.field} ${wrong.message}`);
    process.exitCode = 1;
  }
}
