// Does the tour with the service that HOMEWARD_URL and HOMEWARD_KEY name.
import { Client } from "homeward-client";
import { tour } from "./tour.js";

await tour(new Client(process.env["HOMEWARD_URL"] ?? "", process.env["HOMEWARD_KEY"] ?? ""));
