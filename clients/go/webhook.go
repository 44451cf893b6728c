package homeward

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader is the header with the signature of a webhook request.
const SignatureHeader = "svc-signature"

// Tolerance is how old or how far in the future a webhook request may be.
const Tolerance = 5 * time.Minute

// maxWebhook is the largest accepted body of a webhook request.
const maxWebhook = 4 << 20

// ErrSignature is returned for a webhook request that was not signed with the secret, or not within Tolerance. Respond
// with 401 and ignore its body.
var ErrSignature = errors.New("homeward: the signature of the webhook request is not valid")

// ReadWebhook reads and verifies a webhook request, and returns its event. Pass the secret of the webhook; during a
// rotation both secrets, old and new.
//
// An event may arrive more than once: the header webhook-id is the same for each repetition.
func ReadWebhook(r *http.Request, secrets ...string) (EventBody, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxWebhook+1))
	if err != nil {
		return EventBody{}, fmt.Errorf("homeward: read the webhook request: %w", err)
	}
	if len(body) > maxWebhook {
		return EventBody{}, errors.New("homeward: the webhook request is too large")
	}
	if err := VerifyWebhook(body, r.Header.Get(SignatureHeader), time.Now(), secrets...); err != nil {
		return EventBody{}, err
	}
	var event EventBody
	if err := json.Unmarshal(body, &event); err != nil {
		return EventBody{}, fmt.Errorf("homeward: decode the event: %w", err)
	}
	return event, nil
}

// VerifyWebhook checks the signature of a webhook request against its body, exactly as it was received.
func VerifyWebhook(body []byte, signature string, now time.Time, secrets ...string) error {
	var signedAt string
	var signatures [][]byte
	for _, part := range strings.Split(signature, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			signedAt = value
		case "v1":
			if sum, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, sum)
			}
		}
	}
	seconds, err := strconv.ParseInt(signedAt, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > Tolerance {
		return ErrSignature
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		_, _ = io.WriteString(mac, signedAt+".")
		_, _ = mac.Write(body)
		sum := mac.Sum(nil)
		for _, s := range signatures {
			if secret != "" && hmac.Equal(s, sum) {
				return nil
			}
		}
	}
	return ErrSignature
}
