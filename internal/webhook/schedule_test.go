package webhook_test

import (
	"testing"
	"time"

	"homeward/internal/webhook"
)

func TestDelayAfterEveryFailure(t *testing.T) {
	for _, tt := range []struct {
		failures int
		seconds  time.Duration
		again    bool
	}{
		{-1, 0, true},
		{0, 0, true},
		{1, 15, true},
		{2, 60, true},
		{3, 120, true},
		{4, 240, true},
		{5, 480, true},
		{6, 0, false},
		{7, 0, false},
		{1 << 40, 0, false},
	} {
		for _, unit := range []time.Duration{webhook.RetryUnit, 15 * time.Millisecond, time.Second, time.Minute} {
			want := tt.seconds * time.Second * (unit / time.Millisecond) / (webhook.RetryUnit / time.Millisecond)
			if wait, again := webhook.Delay(tt.failures, unit); wait != want || again != tt.again {
				t.Errorf("after %d failures with unit %v: %v, %v; want %v, %v", tt.failures, unit, wait, again, want,
					tt.again)
			}
		}
	}
}

func TestADeliveryIsTriedSixTimes(t *testing.T) {
	attempts := 1
	for failures := 1; ; failures++ {
		if _, again := webhook.Delay(failures, webhook.RetryUnit); !again {
			break
		}
		attempts++
	}
	if attempts != 6 || webhook.MaxAttempts != 6 {
		t.Errorf("the schedule has %d attempts and MaxAttempts is %d, want 6", attempts, webhook.MaxAttempts)
	}
}
