// Adds every picture in a folder to the item whose reference is the name of the file, such as K7F-3QD.jpg.
//
//   node upload-photos.js LOCATION photos
import { openAsBlob } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, parse } from "node:path";
import { Client, ProblemError } from "homeward-client";

const [location = "", folder = ""] = process.argv.slice(2);
const client = new Client(process.env["HOMEWARD_URL"] ?? "", process.env["HOMEWARD_KEY"] ?? "");

for (const file of await readdir(folder)) {
  const reference = parse(file).name;
  const { data } = await client.listItems(location, { term: reference });
  const item = data.find((one) => one.reference === reference);
  if (!item) {
    console.log(`${file}: no item has this reference`);
    continue;
  }
  try {
    const { images } = await client.uploadImage(location, item.id, await openAsBlob(join(folder, file)));
    console.log(`${file}: photo ${images.length} of the item`);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    console.log(`${file}: ${error.problem.detail}`);
  }
}
