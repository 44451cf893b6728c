package items

import (
	"slices"
	"testing"

	"homeward/internal/desk"
	"homeward/internal/web/staff/frame"
)

func TestOnlyThoseWhoManageIntegrationsReadOfWebhooks(t *testing.T) {
	const called = "2 webhooks will be called."
	for _, integrates := range []bool{true, false} {
		texts := audienceText(frame.English(), desk.Audience{Webhooks: 2}, integrates)
		if slices.Contains(texts, called) != integrates {
			t.Errorf("manages integrations %v: got %q", integrates, texts)
		}
	}
}
