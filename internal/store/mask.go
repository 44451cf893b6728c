package store

import (
	"slices"
	"strings"

	"homeward/internal/lost"
)

// maskStoredNumbers masks the number of an item that has become an identity paper or a payment card where copies of it
// are stored: in the bodies of its events, and in the responses for idempotency keys. The number may also be one that
// the item had before. Responses about several items are kept: they are encrypted, and expire after ResponseLifetime.
func (tx *Tx) maskStoredNumbers(i lost.Item) error {
	events, err := tx.lockEvents(i)
	if err != nil {
		return err
	}
	var e lost.Erased
	for _, event := range events {
		body := maskNumbers(string(event.Body), "payload", "item", "serialNumber")
		if body == string(event.Body) {
			continue
		}
		if err := tx.redactEvent(event, []byte(body), &e); err != nil {
			return err
		}
	}
	return tx.maskResponses(i)
}

// maskResponses masks the number of an item in the stored responses about it.
func (tx *Tx) maskResponses(i lost.Item) error {
	rs, err := tx.h.Query(tx.ctx, "SELECT once_key, answer FROM answers AS a WHERE account_id = $1 AND subject = $2 "+
		"AND answer <> ''"+tx.d.lock("a"), i.Account, i.ID)
	responses, err := scanTexts(rs, err, 2)
	if err != nil {
		return err
	}
	for _, r := range responses {
		body, err := tx.encrypter.decrypt(r[1])
		if err != nil {
			return err
		}
		masked := maskNumbers(body, "SerialNumber")
		if masked == body {
			continue
		}
		encrypted, err := tx.encrypter.encrypt(masked)
		if err != nil {
			return err
		}
		if err := tx.queue("UPDATE answers SET answer = $3 WHERE account_id = $1 AND once_key = $2", i.Account, r[0],
			encrypted); err != nil {
			return err
		}
	}
	return nil
}

// maskNumbers masks the number at a path of keys in a JSON text.
func maskNumbers(text string, path ...string) string {
	if !strings.Contains(text, path[len(path)-1]) {
		return text
	}
	return replaceStrings(text, func(at []string, s string) string {
		if slices.Equal(at, path) {
			return lost.MaskNumber(s)
		}
		return s
	})
}
