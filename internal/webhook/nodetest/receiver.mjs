// A receiver as a client would write one. It listens on a free port, says which in
// a line of JSON, checks every POST with two libraries that others wrote, answers
// 200 or 400, and says in a line of JSON what each of them found.
//
//   SECRET=whsec_… node receiver.mjs
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";

const secret = process.env.SECRET;
const standard = new Webhook(secret);
const stripe = new Stripe("sk_test_never_used");

const say = (line) => process.stdout.write(JSON.stringify(line) + "\n");

// verdict is "ok", or why not.
function verdict(check) {
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
      standardwebhooks: verdict(() => standard.verify(body, req.headers)),
      stripe: verdict(() => stripe.webhooks.constructEvent(body, req.headers["svc-signature"], secret)),
    };
    say(found);
    res.writeHead(found.standardwebhooks === "ok" && found.stripe === "ok" ? 200 : 400);
    res.end();
  });
});

server.listen(0, "127.0.0.1", () => say({ port: server.address().port }));
process.stdin.on("end", () => process.exit(0)).resume(); // whoever started it is gone
