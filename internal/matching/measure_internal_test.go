package matching

import (
	"context"
	"testing"
)

// unevenModel is a model whose answers differ in length, as while a server replaces its model.
type unevenModel struct{ calls, missing int }

func (*unevenModel) Model() string { return "uneven" }

func (m *unevenModel) Embed(_ context.Context, texts []string) ([][]float32, error) {
	m.calls++
	vectors := make([][]float32, len(texts)-m.missing)
	for n := range vectors {
		vectors[n] = make([]float32, 2+m.calls)
		vectors[n][n%2] = 1
	}
	return vectors, nil
}

func TestAModelWithUnevenAnswersIsNotUsed(t *testing.T) {
	for _, model := range []*unevenModel{{}, {missing: 1}, {missing: embedBatch / 2}} {
		var m measure
		if err := m.calibrate(t.Context(), model); err == nil || m.scale != 0 {
			t.Errorf("a model that omits %d vectors is calibrated: %v", model.missing, err)
		}
	}
}
