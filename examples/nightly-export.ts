// Writes every record of the account to a folder named after the day, one JSON object in each line. Run it every night:
//
//   node nightly-export.js /backup
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Client } from "homeward-client";

const client = new Client(process.env["HOMEWARD_URL"] ?? "", process.env["HOMEWARD_KEY"] ?? "");
const folder = `${process.argv[2] ?? "."}/${new Date().toISOString().slice(0, 10)}`;

/** Streams records to a file, so that the export needs little memory, however many there are. */
async function save(name: string, records: AsyncIterable<unknown>): Promise<void> {
  let count = 0;
  const lines = async function* () {
    for await (const record of records) {
      count++;
      yield `${JSON.stringify(record)}\n`;
    }
  };
  await pipeline(Readable.from(lines()), createWriteStream(`${folder}/${name}.ndjson`));
  console.log(`${name}: ${count}`);
}

async function* allItems() {
  for await (const location of client.allLocations()) yield* client.allItems(location.id);
}

await mkdir(folder, { recursive: true });
await save("locations", client.allLocations());
await save("items", allItems());
await save("events", client.allEvents());
