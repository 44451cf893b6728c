// Command receive-webhooks prints each event once. Register its address first, and pass the secret of the webhook:
//
//	WEBHOOK_SECRET=whsec_… go run ./receive-webhooks 127.0.0.1:9000
package main

import (
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	homeward "homeward/clients/go"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: receive-webhooks ADDRESS")
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	server := &http.Server{
		Handler: &receiver{secret: os.Getenv("WEBHOOK_SECRET")}, ReadTimeout: 10 * time.Second,
	}
	log.Fatal(server.Serve(listener))
}

// receiver remembers the ids of the deliveries that it has handled. A real program keeps them in its database.
type receiver struct {
	secret string
	seen   sync.Map
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	event, err := homeward.ReadWebhook(req, r.secret)
	if errors.Is(err, homeward.ErrSignature) && r.secret == "" {
		return // answers the verification of a new webhook, whose secret is not known yet, with 200
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	if _, repeated := r.seen.LoadOrStore(req.Header.Get("webhook-id"), true); repeated {
		return
	}
	reference := ""
	if event.Payload.Item != nil {
		reference = event.Payload.Item.Reference
	}
	fmt.Printf("%s %s %s\n", event.EventTime.Format(time.RFC3339), event.EventType, reference)
}
