// An example of a webhook receiver. It listens on a free port and prints the port as a line of JSON. It verifies
// every POST with two public libraries, responds 200 or 400, and prints the results as a line of JSON.
//
//   SECRET=whsec_… node receiver.mjs
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";

const secret = process.env.SECRET;
const standard = new Webhook(secret);
const stripe = new Stripe("sk_test_never_used");

const print = (line) => process.stdout.write(JSON.stringify(line) + "\n");

// result returns "ok" or the error message.
function result(check) {
  try {
    check();
    return "ok";
  } catch (err) {
    return err.message;
  }
}

const server = createServer((req, res) => {
  const chunks = [];
  req.on("data", (chunk) => chunks.push(chunk));
  req.on("end", () => {
    const body = Buffer.concat(chunks).toString("utf8");
    const found = {
      id: req.headers["webhook-id"],
      standardwebhooks: result(() => standard.verify(body, req.headers)),
      stripe: result(() => stripe.webhooks.constructEvent(body, req.headers["svc-signature"], secret)),
    };
    print(found);
    res.writeHead(found.standardwebhooks === "ok" && found.stripe === "ok" ? 200 : 400);
    res.end();
  });
});

server.listen(0, "127.0.0.1", () => print({ port: server.address().port }));
process.stdin.on("end", () => process.exit(0)).resume(); // the test has ended
