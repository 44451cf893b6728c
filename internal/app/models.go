package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"homeward/internal/assistant"
	"homeward/internal/lost/photo"
	"homeward/internal/matching"
	"homeward/internal/openai"
	"homeward/internal/vision"
)

// embeddingTimeout limits one request for embeddings by default.
const embeddingTimeout = 30 * time.Second

// NewVision returns the photo assistant's model. HOMEWARD_VISION must be set.
func NewVision(cfg Config) (*vision.Assistant, error) {
	v, err := vision.New(openai.Options{
		URL: cfg.Vision, Model: cfg.VisionModel, Key: cfg.VisionKey, Timeout: cfg.ModelTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_VISION: %w", err)
	}
	return v, nil
}

// NewEmbeddings returns the model for embeddings. HOMEWARD_EMBEDDINGS must be set.
func NewEmbeddings(cfg Config) (*openai.Client, error) {
	c, err := openai.New(openai.Options{
		URL: cfg.Embeddings, Model: cfg.EmbeddingsModel, Key: cfg.EmbeddingsKey,
		Timeout: cmp.Or(cfg.ModelTimeout, embeddingTimeout),
	})
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_EMBEDDINGS: %w", err)
	}
	return c, nil
}

// models are the configured models. Both are nil if they are not set up.
type models struct {
	describer assistant.Describer
	embedder  matching.Embedder
}

func (a *App) newModels() (m models, err error) {
	if a.cfg.Vision != "" {
		v, err := NewVision(a.cfg)
		if err != nil {
			return m, err
		}
		m.describer = meteredVision{v, a.metrics}
	}
	if a.cfg.Embeddings != "" {
		c, err := NewEmbeddings(a.cfg)
		if err != nil {
			return m, err
		}
		m.embedder = meteredEmbeddings{c, a.metrics}
	}
	return m, nil
}

// outcomeOf returns the outcome of a request to a model.
func outcomeOf(err error) string {
	if err == nil {
		return "ok"
	}
	return string(cmp.Or(openai.ReasonOf(err), openai.NotReached))
}

// meteredVision measures the requests to the photo assistant's model.
type meteredVision struct {
	*vision.Assistant
	metrics *metrics
}

// Describe returns what is in a photo.
func (v meteredVision) Describe(ctx context.Context, jpeg []byte, language string) (photo.Report, error) {
	start := time.Now()
	report, err := v.Assistant.Describe(ctx, jpeg, language)
	v.metrics.models.WithLabelValues("vision", outcomeOf(err)).Observe(time.Since(start).Seconds())
	return report, err
}

// meteredEmbeddings measures the requests to the model for embeddings.
type meteredEmbeddings struct {
	*openai.Client
	metrics *metrics
}

// Embed returns a vector for each text.
func (c meteredEmbeddings) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	start := time.Now()
	vectors, err := c.Client.Embed(ctx, texts)
	c.metrics.models.WithLabelValues("embeddings", outcomeOf(err)).Observe(time.Since(start).Seconds())
	return vectors, err
}
