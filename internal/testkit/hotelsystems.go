package testkit

import (
	"time"

	"homeward/internal/lost"
	"homeward/internal/pms"
	"homeward/internal/webhook"
)

// HotelSystems returns a client of hotel systems that may call private addresses, such as those of test servers.
func HotelSystems(now func() time.Time) *pms.Client {
	return pms.NewClient(pms.Options{
		Transport: webhook.NewSender(webhook.Options{AllowPrivate: true}).Transport(), IsPrivate: webhook.IsPrivate,
		CheckURL: func(raw string) lost.Problems { return webhook.CheckURL(raw, true) }, Now: now,
	})
}
