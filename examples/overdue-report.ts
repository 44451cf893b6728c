// Lists the items whose storage time has ended and whose owner has not answered, one line for each.
//
//   node overdue-report.js
import { Client, ItemSource, ItemStatus } from "homeward-client";

const client = new Client(process.env["HOMEWARD_URL"] ?? "", process.env["HOMEWARD_KEY"] ?? "");
const today = new Date().toISOString().slice(0, 10);
let overdue = 0;

for await (const location of client.allLocations()) {
  const waiting = client.allItems(location.id, { status: [ItemStatus.Pending], source: [ItemSource.Found] });
  for await (const item of waiting) {
    if (!item.storeUntil || item.storeUntil >= today || item.hold) continue;
    overdue++;
    console.log([location.name, item.reference, item.storeUntil, item.storagePlace ?? "", item.description].join("\t"));
  }
}
console.log(`${overdue} overdue`);
